/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schema of configuration files, made from the option table, and libcyaml's
 * part: from YAML to text and back.
 */
#include <stdlib.h>

#include "config_schema.h"

/* Aliases are refused before; without them libcyaml records nothing. No log
 * function: what it would say has no line number. */
static const cyaml_config_t library = {
	.mem_fn = cyaml_mem,
	.flags = CYAML_CFG_NO_ALIAS | CYAML_CFG_STYLE_BLOCK,
};

static const struct cyaml_schema_value list_item = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

#define STREAM_FIELD(key, id)                                                 \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, \
			       struct stream_text, value[id], 0, CYAML_UNLIMITED)

static const struct cyaml_schema_field stream_field[] = {
	STREAM_FIELD("name", CONFIG_STREAM_NAME),
	STREAM_FIELD("frame", CONFIG_STREAM_FRAME),
	STREAM_FIELD("size", CONFIG_STREAM_SIZE),
	STREAM_FIELD("weight", CONFIG_STREAM_WEIGHT),
	STREAM_FIELD("rate", CONFIG_STREAM_RATE),
	CYAML_FIELD_END,
};

static const struct cyaml_schema_value stream = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct stream_text, stream_field),
};

static const struct cyaml_schema_field streams_field = CYAML_FIELD_SEQUENCE_COUNT(
	CONFIG_STREAMS_KEY, CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, struct config_text,
	stream, streams, &stream, 1, CYAML_UNLIMITED);

bool config_is_key(const struct option_row *row)
{
	return (row->commands & CONFIG_COMMANDS) && row->type != VALUE_ACTION &&
	       row != &option_table[OPT_CONFIG] && row != &option_table[OPT_DUMP_CONFIG];
}

bool config_takes_list(const struct option_row *row)
{
	switch (row->type) {
	/* Of these, joined items could be taken for one odd name. */
	case VALUE_INTERFACE:
	case VALUE_FILE:
	case VALUE_TOPOLOGY:
		return false;
	default:
		return row->argument != NULL;
	}
}

void config_legal(const struct option_row *row, char legal[CONFIG_LEGAL_LEN])
{
	char value[OPTION_LEGAL_LEN];

	option_legal(row, value);
	if (!row->argument)
		snprintf(legal, CONFIG_LEGAL_LEN, "true or false");
	else if (row->type == VALUE_SANDBOX)
		snprintf(legal, CONFIG_LEGAL_LEN, "true, false or %s", value);
	else
		snprintf(legal, CONFIG_LEGAL_LEN, "%s", value);
}

static struct cyaml_schema_field scalar_field(const char *key, size_t offset)
{
	return (struct cyaml_schema_field){
		.key = key,
		.data_offset = (uint32_t)offset,
		.value = { CYAML_VALUE_STRING(CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER,
					      char, 0, CYAML_UNLIMITED) },
	};
}

static struct cyaml_schema_field list_field(const char *key, size_t offset,
					    size_t count_offset)
{
	return (struct cyaml_schema_field){
		.key = key,
		.data_offset = (uint32_t)offset,
		.count_offset = (uint32_t)count_offset,
		.count_size = sizeof(uint32_t),
		.value = { CYAML_VALUE_SEQUENCE(CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER,
						char *, &list_item, 0, CYAML_UNLIMITED) },
	};
}

void config_schema_make(struct config_schema *schema, const bool list[OPTIONS])
{
	struct cyaml_schema_field *field = schema->field;
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const char *key = option_table[i].name;

		if (!config_is_key(&option_table[i]))
			continue;
		if (list && list[i])
			*field++ =
				list_field(key, offsetof(struct config_text, item[i]),
					   offsetof(struct config_text, item_count[i]));
		else
			*field++ =
				scalar_field(key, offsetof(struct config_text, value[i]));
	}
	*field++ = streams_field;
	*field = (struct cyaml_schema_field)CYAML_FIELD_END;
	schema->root = (struct cyaml_schema_value){
		CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct config_text,
				    schema->field),
	};
}

cyaml_err_t config_text_load(const struct config_schema *schema, const char *yaml,
			     size_t length, struct config_text **text)
{
	*text = NULL;
	return cyaml_load_data((const uint8_t *)yaml, length, &library, &schema->root,
			       (cyaml_data_t **)text, NULL);
}

void config_text_free(const struct config_schema *schema, struct config_text *text)
{
	cyaml_free(&library, &schema->root, text, 0);
}

cyaml_err_t config_text_save(const struct config_text *text, FILE *out)
{
	struct config_schema schema;
	cyaml_err_t err;
	char *yaml = NULL;
	size_t length;

	config_schema_make(&schema, NULL);
	err = cyaml_save_data(&yaml, &length, &library, &schema.root, text, 0);
	if (err == CYAML_OK)
		fwrite(yaml, 1, length, out);
	free(yaml);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of an ELF file, from its .symtab and .dynsym (System V gABI, chapter 4),
 * by offset in the file. libelf reads only what is asked for, with pread(); what a
 * damaged or hostile file could make it allocate is checked before.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

/* Past what is seen in practice: a browser's library, unstripped, has a .symtab of
 * 50 MB and a .strtab of 150 MB. */
#define SYMTAB_MOST_BYTES (128ull << 20)
#define STRTAB_MOST_BYTES (256ull << 20)
#define SEGMENTS_MOST 64u

struct segment {
	uint64_t address, offset, bytes;
};

struct reading {
	Elf *elf;
	struct segment segment[SEGMENTS_MOST]; /* executable ones */
	size_t segments;
	bool symtab, dynsym; /* a file has one of each; a second is not read */
	struct symbols *out;
};

/*
 * Is the number of sections in the header itself? Where it is not (gABI: 0xff00 and
 * more), libelf would allocate for as many as a damaged file claims.
 */
static bool has_plain_header(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} header;

	memset(&header, 0, sizeof(header));
	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.narrow))
		return false;
	if (memcmp(header.ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (header.ident[EI_CLASS] == ELFCLASS64)
		return header.wide.e_shnum != 0;
	return header.ident[EI_CLASS] == ELFCLASS32 && header.narrow.e_shnum != 0;
}

static void read_segments(struct reading *r)
{
	size_t count, i;

	if (elf_getphdrnum(r->elf, &count))
		return;
	for (i = 0; i < count && r->segments < SEGMENTS_MOST; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(r->elf, (int)i, &phdr))
			return;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		r->segment[r->segments++] = (struct segment){ .address = phdr.p_vaddr,
							      .offset = phdr.p_offset,
							      .bytes = phdr.p_filesz };
	}
}

/* Where the file has what is loaded at an address. */
static bool offset_of(const struct reading *r, uint64_t address, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < r->segments; i++) {
		const struct segment *s = &r->segment[i];

		if (address - s->address < s->bytes) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

static int add_symbol(struct reading *r, const GElf_Sym *symbol, size_t strings)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	const char *name;
	uint64_t offset;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF)
		return 0;
	if (!offset_of(r, symbol->st_value, &offset))
		return 0;
	name = elf_strptr(r->elf, strings, symbol->st_name);
	if (!name || !*name)
		return 0;
	/* A version may follow: memcpy@@GLIBC_2.14. */
	return symbols_add(r->out, offset, symbol->st_size, name, strcspn(name, "@"),
			   GELF_ST_BIND(symbol->st_info) == STB_LOCAL);
}

static bool is_wanted(struct reading *r, const GElf_Shdr *shdr)
{
	bool *seen = shdr->sh_type == SHT_SYMTAB ? &r->symtab : &r->dynsym;
	Elf_Scn *strings;
	GElf_Shdr names;

	if ((shdr->sh_type != SHT_SYMTAB && shdr->sh_type != SHT_DYNSYM) || *seen)
		return false;
	*seen = true;
	if (shdr->sh_size > SYMTAB_MOST_BYTES || shdr->sh_flags & SHF_COMPRESSED)
		return false;
	strings = elf_getscn(r->elf, shdr->sh_link);
	return strings && gelf_getshdr(strings, &names) && names.sh_type == SHT_STRTAB &&
	       names.sh_size <= STRTAB_MOST_BYTES;
}

static int read_section(struct reading *r, Elf_Scn *section)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	GElf_Sym symbol;
	int err = 0, i;

	if (!gelf_getshdr(section, &shdr) || !is_wanted(r, &shdr))
		return 0;
	data = elf_getdata(section, NULL);
	if (!data || data->d_type != ELF_T_SYM)
		return 0;
	for (i = 0; !err && gelf_getsym(data, i, &symbol); i++)
		err = add_symbol(r, &symbol, shdr.sh_link);
	return err;
}

int symbols_read_elf(int fd, struct symbols *out)
{
	struct reading r = { .out = out };
	Elf_Scn *section = NULL;
	int err = 0;

	if (!has_plain_header(fd) || elf_version(EV_CURRENT) == EV_NONE)
		return 0;
	r.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!r.elf)
		return 0;
	if (elf_kind(r.elf) == ELF_K_ELF) {
		read_segments(&r);
		while (!err && (section = elf_nextscn(r.elf, section)) != NULL)
			err = read_section(&r, section);
	}
	elf_end(r.elf);
	if (err)
		symbols_free(out);
	else
		symbols_sort(out);
	return err == -E2BIG ? 0 : err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves of a comparison: the cells of one leg along one axis, and their knee. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_fields.h"
#include "judgement_figures.h"

/* At the knee a rate is within 5 % of the best: what more x could still bring is no
 * more than what most runs can tell from nothing. */
#define KNEE_SHARE 0.05

static bool same_curve(const struct comparison_cell *a, const struct comparison_cell *b,
		       enum judgement_axis axis)
{
	enum judgement_axis other;

	for (other = 0; other < AXES; other++)
		if (other != axis &&
		    comparison_setting(a, other) != comparison_setting(b, other))
			return false;
	return strcmp(a->leg, b->leg) == 0;
}

/* Put a cell into its place. One whose value is there already belongs to another leg
 * of the same name: A is compared against A that way. */
static bool insert(const struct comparison *comparison, struct judgement_curve *curve,
		   size_t cell)
{
	uint32_t value = comparison_setting(&comparison->cell[cell], curve->axis);
	size_t at = curve->cells;

	while (at && comparison_setting(&comparison->cell[curve->cell[at - 1]],
					curve->axis) > value)
		at--;
	if (at && comparison_setting(&comparison->cell[curve->cell[at - 1]],
				     curve->axis) == value)
		return false;
	memmove(&curve->cell[at + 1], &curve->cell[at],
		(curve->cells - at) * sizeof(*curve->cell));
	curve->cell[at] = cell;
	curve->cells++;
	return true;
}

/* All cells of first's curve that are not in another one yet. */
static void collect(const struct comparison *comparison, size_t first, bool *taken,
		    struct judgement_curve *curve)
{
	size_t i;

	for (i = first; i < comparison->cells; i++)
		if (!taken[i] &&
		    same_curve(&comparison->cell[first], &comparison->cell[i],
			       curve->axis) &&
		    insert(comparison, curve, i))
			taken[i] = true;
}

static int find_knee(const struct comparison *comparison, const struct judgement *judged,
		     struct judgement_curve *curve)
{
	double *x = calloc(curve->cells, sizeof(*x));
	double *y = calloc(curve->cells, sizeof(*y));
	size_t i;
	int err = x && y ? 0 : -ENOMEM;

	for (i = 0; i < curve->cells && !err; i++) {
		const struct judgement_cell *cell = &judged->cell[curve->cell[i]];

		x[i] = comparison_setting(&comparison->cell[curve->cell[i]], curve->axis);
		y[i] = curve->axis == AXIS_SIZE ? cell->l1_bps.median : cell->pps.median;
	}
	if (!err)
		curve->knee = statistics_knee(x, y, curve->cells, KNEE_SHARE);
	free(x);
	free(y);
	return err;
}

/* Add a curve that starts at this cell, if it has more than that. */
static int add_curve(const struct comparison *comparison, struct judgement *out,
		     enum judgement_axis axis, size_t first, bool *taken)
{
	struct judgement_curve curve = { .axis = axis }, *grown;
	int err = 0;

	curve.cell = calloc(comparison->cells, sizeof(*curve.cell));
	if (!curve.cell)
		return -ENOMEM;
	collect(comparison, first, taken, &curve);
	if (curve.cells > 1) {
		err = find_knee(comparison, out, &curve);
		grown = realloc(out->curve, (out->curves + 1) * sizeof(*grown));
		if (grown)
			out->curve = grown;
		else
			err = -ENOMEM;
	}
	if (err || curve.cells < 2)
		free(curve.cell);
	else
		out->curve[out->curves++] = curve;
	return err;
}

int judge_curves(const struct comparison *comparison, struct judgement *out)
{
	bool *taken = calloc(comparison->cells, sizeof(*taken));
	enum judgement_axis axis;
	int err = taken ? 0 : -ENOMEM;
	size_t i;

	for (axis = 0; axis < AXES && !err; axis++) {
		for (i = 0; i < comparison->cells; i++)
			taken[i] = !out->cell[i].rounds ||
				   !comparison_setting(&comparison->cell[i], axis);
		for (i = 0; i < comparison->cells && !err; i++)
			if (!taken[i])
				err = add_curve(comparison, out, axis, i, taken);
	}
	free(taken);
	return err;
}

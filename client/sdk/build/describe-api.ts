import { z } from 'zod';

import { type Procedure, proceduresOf } from '../../../server/kernel/procedures.ts';
import { appRouter } from '../../../server/router/app-router.ts';

/**
 * What the contracts say of a procedure, or of a field of its input or output, by the names that lead there:
 * `['Api', 'v1', 'posts', 'list', 'input', 'limit']`.
 */
export function describeApi([, ...path]: readonly string[]): string | undefined {
  const side = path.findIndex((name) => name === 'input' || name === 'output');
  const procedure = procedures.get(path.slice(0, side < 0 ? path.length : side).join('.'));
  if (!procedure) return undefined;
  if (side < 0) return procedure.meta.openapi?.summary;
  const root = schemaOf(procedure, path[side] === 'input');
  const found = path.slice(side + 1).reduce(fieldOf, root);
  return found && variants(found).find(({ description }) => description)?.description;
}

const procedures = proceduresOf(appRouter);

type Schema = z.core.JSONSchema.JSONSchema;

function schemaOf({ input, output }: Procedure, ofInput: boolean): Schema | undefined {
  const parser = ofInput ? input : output;
  const io = ofInput ? 'input' : 'output';
  return parser && z.toJSONSchema(parser, { io, unrepresentable: 'any' });
}

const fieldOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  schema &&
  variants(schema)
    .map(({ properties }) => properties?.[name])
    .find(isSchema);

/** A schema with all that a value of it may be, or hold as a list. */
function variants(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), schema.items].flat();
  return [schema, ...inner.filter(isSchema).flatMap(variants)];
}

const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null;

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

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

function schemaOf({ input, output }: Procedure, ofInput: boolean): Schema | undefined {
  const parser = ofInput ? input : output;
  const io = ofInput ? 'input' : 'output';
  // The keywords read here are those that `Schema` lists.
  return parser && (z.toJSONSchema(parser, { io, unrepresentable: 'any' }) as Schema);
}

const fieldOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  schema && variants(schema).find(({ properties }) => properties?.[name])?.properties?.[name];

/** A schema with all that a value of it may be, or hold as a list. */
function variants(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [schema, ...inner.flatMap(variants)];
}

import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { appRouter } from '../../../server/app-router.ts';
import type { Meta } from '../../../server/trpc.ts';

/**
 * What the contracts say of a procedure, or of a field of its input or output, by the names that lead there:
 * `['Api', 'v1', 'posts', 'list', 'input', 'limit']`.
 */
export function describeApi([, ...path]: readonly string[]): string | undefined {
  const side = path.findIndex((name) => name === 'input' || name === 'output');
  const procedure = procedures[path.slice(0, side < 0 ? path.length : side).join('.')];
  if (!procedure) return undefined;
  if (side < 0) return (procedure._def.meta as Meta).rest?.summary;
  const root = schemaOf(procedure, path[side] === 'input');
  const found = path.slice(side + 1).reduce(fieldOf, root);
  return found && variants(found).find(({ description }) => description)?.description;
}

const router: AnyRouter = appRouter;
const procedures: Record<string, AnyProcedure> = router._def.procedures;

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

// tRPC keeps the parsers of every procedure, but its types of a finished one don't say so.
type Parsers = { inputs: z.ZodType[]; output?: z.ZodType };

function schemaOf({ _def }: AnyProcedure, ofInput: boolean): Schema | undefined {
  const { inputs, output } = _def as unknown as Parsers;
  const parser = ofInput ? inputs[0] : output;
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

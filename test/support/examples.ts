import { z } from 'zod';
import type { Procedure } from '../../server/api/procedures.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** An input that a procedure's contract takes, made of the examples that stand in it for the documentation. */
export function exampleInput({ input }: Procedure): Record<string, unknown> {
  return Object.assign({}, input && exampleOf(toJsonSchema(input)));
}

/** The names of what a procedure's contract takes. */
export const inputNames = ({ input }: Procedure): string[] => Object.keys(input?.shape ?? {});

/** What the documentation shows of a contract, as callers meet it. */
export const toJsonSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** A value that `schema` describes: its first example, or one made of the examples inside it; undefined when it has none. */
export function exampleOf(schema: Schema | boolean | undefined): unknown {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return schema.anyOf.map(exampleOf).find((example) => example !== undefined);
  if (schema.type === 'array' && !Array.isArray(schema.items)) return [exampleOf(schema.items)];
  if (schema.type !== 'object') return undefined;
  const entries = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}

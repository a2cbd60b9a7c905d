import { z } from 'zod';

const maxValues = 100;

/**
 * Returns the schema of a query parameter with 1 to 100 values. In a query string, values are separated by commas, or
 * the parameter is repeated; then values are not split. RPC and tools send an array.
 */
export function listParameter<Value extends string>(
  value: z.ZodType<Value, Value>,
  example: string,
  description: string,
) {
  const values = z.array(value).min(1).max(maxValues);
  const separated = z
    .string()
    .meta({ ...(value instanceof z.ZodEnum && { pattern: choices(value.options) }), examples: [example] })
    .transform((list) => list.split(','))
    .pipe(values);
  return z.union([values.meta({ examples: [example.split(',')] }), separated]).describe(description);
}

function choices(options: readonly unknown[]): string {
  const one = `(${options.join('|')})`;
  return `^${one}(,${one})*$`;
}

import { z } from 'zod';

const mostValues = 100;

/**
 * A list as a parameter: in a query with commas between its values or with the parameter repeated, and then not split;
 * over RPC and from tools as a list.
 */
export function listParameter<Value extends string>(
  value: z.ZodType<Value, Value>,
  example: string,
  description: string,
) {
  const values = z.array(value).min(1).max(mostValues);
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

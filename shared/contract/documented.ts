import { z } from 'zod';

/**
 * Returns an object schema that refuses unknown fields. In the OpenAPI document and in generated clients it has
 * `title` as its name.
 */
export const titled = <Shape extends z.ZodRawShape>(title: string, shape: Shape) =>
  z.strictObject(shape).meta({ title });

/** Adds a description and an example to a schema, for the documentation. */
export const documented = <Schema extends z.ZodType>(schema: Schema, description: string, example: unknown) =>
  schema.meta({ description, examples: [example] });

import { z } from 'zod';

/** An object that the documents, and clients made from them, know by a name of its own. */
export const titled = <Shape extends z.ZodRawShape>(title: string, shape: Shape) =>
  z.strictObject(shape).meta({ title });

/** What the documents say of a value, and one such as it may be. */
export const documented = <Schema extends z.ZodType>(schema: Schema, description: string, example: unknown) =>
  schema.meta({ description, examples: [example] });

import { z } from 'zod';

/** An object that the documents, and clients made from them, know by a name of its own. */
export const titled = <Shape extends z.ZodRawShape>(title: string, shape: Shape) =>
  z.strictObject(shape).meta({ title });

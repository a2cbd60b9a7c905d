import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** What a contract accepts (`input`) or answers (`output`) in JSON, as JSON Schema 2020-12. */
export function schemaOf(contract: z.ZodType, io: 'input' | 'output'): oas31.SchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(contract, {
    io,
    unrepresentable: ({ zodSchema }) => (isDate(zodSchema) ? { ...dateTime } : 'throw'),
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodUnion && zodSchema.options.some(isDate)) mergeMoment(jsonSchema);
      if (zodSchema instanceof z.ZodNullable) mergeNull(jsonSchema);
      if (jsonSchema.type === 'integer') forgetSafeBounds(jsonSchema);
    },
  });
  // OpenAPI 3.1 takes JSON Schema as it is; the two packages only type it apart.
  return schema as oas31.SchemaObject;
}

const dateTime = { type: 'string', format: 'date-time' } as const;

const isDate = (schema: unknown) => schema instanceof z.ZodDate;

/** RPC takes a moment as a Date or as text; in JSON it is always text. */
function mergeMoment(schema: JsonSchema) {
  delete schema.anyOf;
  Object.assign(schema, dateTime);
}

/** "A string, or null" as one schema with both types keeps description and examples where readers look. */
function mergeNull(schema: JsonSchema) {
  const [inner, ...others] = schema.anyOf ?? [];
  if (typeof inner?.type !== 'string' || others.length !== 1) return;
  delete schema.anyOf;
  const orNull = inner.enum ? { enum: [...inner.enum, null] } : {};
  Object.assign(schema, { ...inner, ...schema, ...orNull, type: [inner.type, 'null'] });
}

/** Bounds that only say what a JSON number can hold tell a reader nothing. */
function forgetSafeBounds(schema: JsonSchema) {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

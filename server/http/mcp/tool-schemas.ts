import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { usualFields } from '../../../shared/contract/fields.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;
type ObjectSchema = Tool['inputSchema'];

// Assistants read the schemas of all tools first. So each schema has only what is needed to call the tool and to check
// the answer; errors name any other broken rule.

/** Creates the input schema of a tool. A field with a pattern shows an example instead, which is shorter and clearer. */
export const inputSchemaOf = (contract: z.ZodObject): ObjectSchema =>
  objectSchema(contract, 'input', ({ examples, pattern, ...schema }) => ({
    ...only(schema, [...shape, 'description', 'default', 'format', 'minimum', 'maximum']),
    ...(pattern !== undefined && examples && { examples }),
  }));

/**
 * Creates the input schema of a list tool, without descriptions: the names of its filters and the instructions explain
 * them.
 */
export const listSchemaOf = (contract: z.ZodObject): ObjectSchema =>
  objectSchema(contract, 'input', (schema) => only(schema, [...shape, 'default', 'minimum', 'maximum']));

/**
 * Creates the input schema of a tool for which null equals a missing field, so optional fields do not allow null. Fields in
 * `usualFields` have no description, because the instructions describe them.
 */
export function creationSchemaOf(contract: z.ZodObject): ObjectSchema {
  const { properties = {}, ...schema } = inputSchemaOf(mapFields(contract, withoutNull));
  const told = Object.entries(properties).map(([name, field]) => [
    name,
    Object.hasOwn(usualFields, name) && isSchema(field) ? only(field, shape) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(told) };
}

/** Creates an input schema with types only, for a tool whose fields have clear names or are described by another tool. */
export const changeSchemaOf = (contract: z.ZodObject): ObjectSchema =>
  objectSchema(mapFields(contract, withNullWhereNeeded), 'input', (schema) => only(schema, shape));

const mapFields = (contract: z.ZodObject, map: (field: z.core.$ZodType) => z.core.$ZodType) =>
  contract.extend(
    Object.fromEntries(Object.entries(contract.shape).map(([name, field]) => [name, map(field)])),
  );

/**
 * Creates the output schema of a tool: its fields with their types. Records of a list have no schema, because the
 * input's `fields` names their fields.
 */
export function outputSchemaOf(contract: z.ZodType): ObjectSchema {
  const { type, properties = {} } = objectSchema(contract, 'output', (schema) =>
    only(schema, schema.type === 'array' ? ['type'] : ['type', 'properties', 'const', 'anyOf']),
  );
  return { type, properties };
}

const shape = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'];

const only = (schema: JsonSchema, names: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));

function withoutNull(field: z.core.$ZodType): z.core.$ZodType {
  if (!(field instanceof z.ZodOptional)) return field;
  const inner = field.unwrap();
  return inner instanceof z.ZodNullable ? z.optional(inner.unwrap()) : field;
}

/** Allows null only for fields without a value that unsets them, such as an empty text or list. */
function withNullWhereNeeded(field: z.core.$ZodType): z.core.$ZodType {
  const value = withoutNull(field);
  const hasEmptyValue = ['', [], false, 'public'].some((empty) => z.safeParse(value, empty).success);
  return hasEmptyValue ? value : field;
}

function objectSchema(
  contract: z.ZodType,
  io: 'input' | 'output',
  trim: (schema: JsonSchema) => JsonSchema,
): ObjectSchema {
  const schema = z.toJSONSchema(contract, {
    io,
    unrepresentable: ({ zodSchema }) => (zodSchema instanceof z.ZodDate ? { ...timestamp } : 'throw'),
    override({ zodSchema, jsonSchema }) {
      if (zodSchema instanceof z.ZodUnion) mergeWaysToWrite(zodSchema, jsonSchema);
    },
  });
  // Every contract is an object, so its schema is one; the two packages have separate types for JSON Schema.
  return everywhere(schema, trim) as ObjectSchema;
}

const timestamp = { type: 'string', format: 'date-time' } as const;

/** Merges alternatives of a union: in JSON a time is always text, and a list that queries write as text is always a list. */
function mergeWaysToWrite({ options }: z.ZodUnion, schema: JsonSchema) {
  const { anyOf, ...rest } = schema;
  const list = anyOf?.find(({ type }) => type === 'array');
  const merged = options.some((option) => option instanceof z.ZodDate) ? timestamp : list;
  if (!merged) return;
  delete schema.anyOf;
  Object.assign(schema, merged, rest);
}

/** Applies `trim` to `schema` and all schemas inside it. */
function everywhere(schema: JsonSchema, trim: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const trimmed = trim(withoutWordBounds(oneTypeEach(schema)));
  const inside = <P>(part: P | JsonSchema) => (isSchema(part) ? everywhere(part, trim) : part);
  const { properties, items, anyOf } = trimmed;
  if (properties) {
    const entries = Object.entries(properties).map(([name, property]) => [name, inside(property)]);
    trimmed.properties = Object.fromEntries(entries);
  }
  if (isSchema(items)) trimmed.items = inside(only(items, shape));
  if (anyOf) trimmed.anyOf = anyOf.map(inside);
  return trimmed;
}

const isSchema = (part: unknown): part is JsonSchema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);

/** Replaces a list of types by alternatives: some generators and assistants do not support the list. */
function oneTypeEach({ type, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(type)) return type === undefined ? schema : { type, ...schema };
  return { ...schema, anyOf: type.map((one) => ({ type: one })) };
}

/** Removes bounds that only state the range of a number's storage type. */
function withoutWordBounds({ minimum = 0, maximum = 0, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(minimum > -(2 ** 31) && minimum !== 0 && { minimum }),
    ...(maximum < 2 ** 31 - 1 && maximum !== 0 && { maximum }),
  };
}

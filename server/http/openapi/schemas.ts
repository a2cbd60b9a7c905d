import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'openapi3-ts';
import { wholeFields } from '../../api/sparse-fields.ts';

type Node = Record<string, unknown>;

/** Applies `change` to the schemas of `document`, innermost first. Data of the API, such as examples, stays unchanged. */
export const mapDocument = (document: object, change: (object: Node) => unknown) =>
  // `change` is called with every object, but changes schemas only, so the result is still a document.
  mapObjects(document, change) as oas31.OpenAPIObject;

function mapObjects(node: unknown, change: (object: Node) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => mapObjects(item, change));
  if (typeof node !== 'object' || node === null) return node;
  const said = Object.entries(node).filter(([, value]) => value !== undefined);
  return change(
    Object.fromEntries(said.map(([key, value]) => [key, holdsData(key) ? value : mapObjects(value, change)])),
  );
}

const holdsData = (key: string) => ['examples', 'example', 'default', 'enum', 'const'].includes(key);

export const tidy = (node: Node): Node => describeNullable(oneTypeEach(forgetSafeBounds(node)));

/** Replaces a list of types by alternatives: some generators and assistants do not support the list. */
function oneTypeEach(node: Node): Node {
  const { type, ...rest } = node;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : node;
}

/** Moves the description of a nullable value next to its alternatives, where readers look for it. */
function describeNullable(node: Node): Node {
  const [inner, other, ...more] = Array.isArray(node.anyOf) ? node.anyOf.filter(isNode) : [];
  if (!inner || other?.type !== 'null' || more.length > 0 || inner.title) return node;
  const { description, examples, ...type } = inner;
  return {
    ...(description ? { description } : {}),
    ...(examples ? { examples } : {}),
    ...node,
    anyOf: [type, other],
  };
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Removes bounds that only state the range of a JSON number. */
function forgetSafeBounds(node: Node): Node {
  if (node.type !== 'integer') return node;
  const { minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

/**
 * Collects schemas for a document that is written in parts: moves every schema with a title to the components. Each
 * type is then written once, and generated clients have the contract's name for it. Throws an `Error` if two
 * different schemas have the same title.
 */
export function createSchemaNames() {
  const schemas: Record<string, oas31.SchemaObject> = {};
  return {
    /** Moves the schemas with a title out of a part of the document, and returns the part with references to them. */
    give: (part: object) => mapDocument(part, (node) => moveTitled(node, schemas)),
    schemas: () => sorted(schemas),
  };
}

function moveTitled(node: Record<string, unknown>, schemas: Record<string, oas31.SchemaObject>) {
  if (typeof node.title !== 'string' || node.type === undefined) return node;
  const known = schemas[node.title] ?? node;
  if (!isDeepStrictEqual(known, node)) throw new Error(`Two different schemas have the title ${node.title}`);
  schemas[node.title] = node;
  return { $ref: `#/components/schemas/${node.title}` };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Returns an example of `schema`: its first one, or one composed of inner examples; undefined without any. */
export function exampleOf(schema: oas31.SchemaObject | oas31.ReferenceObject): unknown {
  if ('$ref' in schema) return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (!schema.properties) return undefined;
  const entries = Object.entries(schema.properties).map(([name, inner]) => [name, exampleOf(inner)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}

/** Form of list records in the document: selected by `fields`, or whole. */
export type Lists = 'sparse' | 'whole';

/**
 * Returns an adapted part of the OpenAPI document. With `whole` it omits the parameter `fields`, so list records are whole
 * and generated clients have no optional fields in them.
 */
export const withLists = (lists: Lists, part: object): oas31.OpenAPIObject =>
  mapDocument(part, lists === 'whole' ? (node) => makeWhole(withoutFields(node)) : withoutMark);

/** Removes our own keyword, because strict validators refuse unknown ones. */
const withoutMark = ({ [wholeFields]: _, ...node }: Node): Node => node;

function withoutFields(node: Node): Node {
  const { parameters } = node;
  if (!Array.isArray(parameters)) return node;
  return { ...node, parameters: parameters.filter((one) => one.name !== 'fields' || one.in !== 'query') };
}

/** Uses the title of the whole record, so that both are one schema. */
function makeWhole(node: Node): Node {
  const { title, ...rest } = node;
  if (typeof title !== 'string' || !title.startsWith('Sparse')) return node;
  const { [wholeFields]: required, description, ...record } = rest;
  const whole = title.slice('Sparse'.length);
  return required === undefined ? { ...rest, title: whole } : { ...record, required, title: whole };
}

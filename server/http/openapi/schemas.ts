import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'openapi3-ts';
import { wholeFields } from '../../api/sparse.ts';

type Node = Record<string, unknown>;

/** `document` with its schemas changed, innermost first. Data of the API, such as examples, stays as it is. */
export const mapDocument = (document: object, change: (object: Node) => unknown) =>
  // `change` is called with every object, but changes schemas only, so a document stays one.
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

/** Generators and assistants stumble over a list of types; alternatives they all know. */
function oneTypeEach(node: Node): Node {
  const { type, ...rest } = node;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : node;
}

/** What is said of a value stands beside "or null", where readers look for it. */
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

/** Bounds that only say what a JSON number can hold tell a reader nothing. */
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
 * For a document that is written in parts: moves every schema with a title to the document's components, so that each type is
 * written once and generated clients name it as the contract does. Throws when one title is given to two different schemas.
 */
export function createSchemaNames() {
  const schemas: Record<string, oas31.SchemaObject> = {};
  return {
    /** A part with references in the place of the schemas that were moved. */
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

/** A value that `schema` describes: its first example, or one made of the examples inside it; undefined when it has none. */
export function exampleOf(schema: oas31.SchemaObject | oas31.ReferenceObject): unknown {
  if ('$ref' in schema) return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (!schema.properties) return undefined;
  const entries = Object.entries(schema.properties).map(([name, inner]) => [name, exampleOf(inner)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}

/** What the document says of records in lists: those that `fields` leaves, or whole ones. */
export type Lists = 'sparse' | 'whole';

/**
 * A part of the document for callers of one kind. To those who don't choose `fields` it doesn't name that: what lists hold
 * is whole then, and clients that are generated from it needn't take each field for one that may be missing.
 */
export const withLists = (lists: Lists, part: object): oas31.OpenAPIObject =>
  mapDocument(part, lists === 'whole' ? (node) => makeWhole(withoutFields(node)) : withoutMark);

/** Strict validators refuse keywords that they don't know. */
const withoutMark = ({ [wholeFields]: _, ...node }: Node): Node => node;

function withoutFields(node: Node): Node {
  const { parameters } = node;
  if (!Array.isArray(parameters)) return node;
  return { ...node, parameters: parameters.filter((one) => one.name !== 'fields' || one.in !== 'query') };
}

/** Under the title of the whole one, so that both are one schema where the document has it elsewhere, too. */
function makeWhole(node: Node): Node {
  const { title, ...rest } = node;
  if (typeof title !== 'string' || !title.startsWith('Sparse')) return node;
  const { [wholeFields]: required, description, ...record } = rest;
  const whole = title.slice('Sparse'.length);
  return required === undefined ? { ...rest, title: whole } : { ...record, required, title: whole };
}

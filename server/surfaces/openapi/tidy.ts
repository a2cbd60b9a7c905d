import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'openapi3-ts';

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

/** A schema as readers want it. */
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
    /** Those of all parts so far. */
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

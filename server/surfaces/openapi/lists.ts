import type { oas31 } from 'openapi3-ts';
import { wholeFields } from '../../kernel/sparse.ts';
import { mapDocument } from './tidy.ts';

/** What the document says of records in lists: those that `fields` leaves, or whole ones. */
export type Lists = 'sparse' | 'whole';

/**
 * A part of the document for callers of one kind. To those who don't choose `fields` it doesn't name that: what lists hold
 * is whole then, and clients that are generated from it needn't take each field for one that may be missing.
 */
export const withLists = (lists: Lists, part: object): oas31.OpenAPIObject =>
  mapDocument(part, lists === 'whole' ? (node) => makeWhole(withoutFields(node)) : withoutMark);

type Node = Record<string, unknown>;

/** Strict validators refuse keywords that they don't know. */
const withoutMark = ({ [wholeFields]: _, ...node }: Node): Node => node;

/** An operation without the parameter. */
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

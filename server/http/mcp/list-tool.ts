import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { fieldsQuery } from '../../../shared/contract/pagination.ts';
import { included } from '../../../shared/contract/sharing.ts';
import type { Procedure } from '../../api/procedures.ts';

export type ListTool = NonNullable<ReturnType<typeof listToolOf>>;

/** Field with the body, which lists omit even if it is short. */
const body = 'content';

/** Maximum length in characters of a text that lists include by default. */
const maxTextLength = 500;

const fieldsDescription = 'Fields to include in each record; long texts are included only if named';

/** Removes the parameter `include`, which is for front ends: assistants get the records' own fields only. */
export const withoutIncludeParameter = (input: z.ZodObject) =>
  'include' in input.shape ? input.omit({ include: true }) : input;

/** Returns the schemas and field names of a tool for a procedure that returns a list; null for other procedures. */
export function listToolOf({ input = z.object({}), output }: Procedure) {
  if (!(output instanceof z.ZodObject)) return null;
  const at = 'items' in output.shape ? 'items' : 'data';
  const records = output.shape[at];
  if (!(records instanceof z.ZodArray) || !(records.element instanceof z.ZodObject)) return null;
  const record = withoutIncludedFields(records.element);
  const names = Object.keys(record.shape);
  return {
    at,
    /** Input of the tool: that of the procedure, and `fields`. */
    input: withoutIncludeParameter(input).extend({
      fields: fieldsQuery(names).meta({ description: fieldsDescription }),
    }),
    /** Output of the tool: records with optional fields. */
    output: output.extend({ [at]: z.array(record.partial()) }),
    names,
    /**
     * True if the procedure itself accepts `fields`. Then the tool passes `fields` on, and the procedure does not read
     * other fields.
     */
    narrows: 'fields' in input.shape,
  };
}

/** Converts the input of a list tool to that of the procedure: bodies are not read unless they are requested. */
export function procedureInputOf({ narrows, names }: ListTool, input: object): object {
  if (!narrows || !names.includes(body) || 'fields' in input) return input;
  return { ...input, fields: names.filter((name) => name !== body) };
}

type Answer = Record<string, unknown>;

const Records = z.array(z.record(z.string(), z.unknown()));

/**
 * Removes fields from the procedure's answer that were not requested, are long or are implied. Throws `BAD_REQUEST` for
 * unknown fields.
 */
export function shorten({ at, names, narrows }: ListTool, answer: Answer, input: object): Answer {
  const { success, data, error } = z.object({ fields: fieldsQuery(names) }).safeParse(input);
  if (!success) throw new TRPCError({ code: 'BAD_REQUEST', cause: error });
  const { fields } = data;
  if (fields && narrows) return answer;
  const records = Records.parse(answer[at]).map((record) => {
    const entries = Object.entries(record);
    if (fields) return Object.fromEntries(entries.filter(([name]) => fields.includes(name)));
    return Object.fromEntries(
      entries.filter(([name, value]) => !isLong(name, value) && !isImplied(name, value, record)),
    );
  });
  return { ...answer, [at]: records };
}

const isLong = (name: string, value: unknown) =>
  name === body || (typeof value === 'string' && value.length > maxTextLength);

/**
 * True if a list may omit a value: an unset one, one that all readable records share, or `updated` of an
 * unchanged record.
 */
const isImplied = (name: string, value: unknown, record: Answer) =>
  value === '' ||
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (name === 'visibility' && value === 'public') ||
  (name === 'updated' && value === record.created);

/** Returns a contract without the fields that records have only if `include` names them. */
export const withoutIncludedFields = (contract: z.ZodObject): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(contract.shape).filter(([name]) => !(name in included))));

import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { fieldsQuery } from '../../../shared/contract/pagination.ts';
import { included } from '../../../shared/contract/sharing.ts';
import type { Procedure } from '../../api/procedures.ts';

export interface ListTool {
  at: 'data' | 'items';
  /** What the tool takes: `fields` besides what the procedure does. */
  input: z.ZodObject;
  /** What the tool answers: records of which fields may be left out. */
  output: z.ZodObject;
  names: readonly string[];
  /** Whether the procedure has `fields` of its own, and so needn't even read what nobody asked for. */
  narrows: boolean;
}

/** A body: too long for a list however short it happens to be. */
const body = 'content';

/** The longest text, in characters, that a list shows unasked. */
const longestText = 500;

const fieldsDescription = 'Fields to include in each record; long texts are included only if named';

/** The parameter `include` is for front ends: assistants are told of what records say themselves. */
export const withoutIncludeParameter = (input: z.ZodObject) =>
  'include' in input.shape ? input.omit({ include: true }) : input;

/** How `procedure` lists; null for one that doesn't. */
export function listToolOf({ input = z.object({}), output }: Procedure): ListTool | null {
  if (!(output instanceof z.ZodObject)) return null;
  const at = 'items' in output.shape ? 'items' : 'data';
  const records = output.shape[at];
  if (!(records instanceof z.ZodArray) || !(records.element instanceof z.ZodObject)) return null;
  const record = withoutIncludedFields(records.element);
  const names = Object.keys(record.shape);
  return {
    at,
    input: withoutIncludeParameter(input).extend({
      fields: fieldsQuery(names).meta({ description: fieldsDescription }),
    }),
    output: output.extend({ [at]: z.array(record.partial()) }),
    names,
    narrows: 'fields' in input.shape,
  };
}

/** `input` for the procedure, which needn't read bodies that nobody named. */
export function procedureInputOf({ narrows, names }: ListTool, input: object): object {
  if (!narrows || !names.includes(body) || 'fields' in input) return input;
  return { ...input, fields: names.filter((name) => name !== body) };
}

type Answer = Record<string, unknown>;

const Records = z.array(z.record(z.string(), z.unknown()));

/** What is shown of the procedure's answer to `input`. Throws `BAD_REQUEST` for fields that records don't have. */
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
  name === body || (typeof value === 'string' && value.length > longestText);

/** What a record that doesn't mention it tells as well: values that aren't set, and what every record that is read shares. */
const isImplied = (name: string, value: unknown, record: Answer) =>
  value === '' ||
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (name === 'visibility' && value === 'public') ||
  (name === 'updated' && value === record.created);

/** A contract without what only `include` adds to it. */
export const withoutIncludedFields = (contract: z.ZodObject): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(contract.shape).filter(([name]) => !(name in included))));

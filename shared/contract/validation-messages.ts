import type { z } from 'zod';

/** Maximum length of a caller's text that a message repeats, in UTF-16 units. */
const quotedLength = 50;

/** Phrases for Zod's types, such as `int`, to follow "must be" in messages. */
const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  date: 'a date-time',
  record: 'an object',
};

/** Phrases for Zod's string formats, such as `email`, to follow "must be" in messages. */
const formats: Record<string, string> = {
  email: 'an email address',
  url: 'an absolute URL',
  date: 'a date such as 2026-01-31',
  datetime: 'a date-time such as 2026-01-31T09:05:00Z',
};

/**
 * Describes the problem of a value in words that follow its name: "title: is required". It covers every issue that Zod
 * raises without a message of the contract.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code)) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return explainChoice(issue.values.map(String), issue.input);
    case 'too_small':
      return explainTooSmall({ ...issue, limit: issue.minimum });
    case 'too_big':
      return explainTooBig({ ...issue, limit: issue.maximum });
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}` : `must match ${issue.pattern}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${listed(issue.keys)}`;
    case 'invalid_union':
      return explainUnion(issue.errors);
    default:
      return 'is not valid';
  }
}

/** Message for a field that a contract does not declare. Errors list such fields one by one. */
export const unknownField = 'is not a known field';

function explainChoice(choices: string[], input: unknown): string {
  const [only] = choices;
  if (choices.length === 1) return `must be ${only}`;
  const isShown = typeof input === 'string' && input.length <= quotedLength;
  return isShown
    ? `${JSON.stringify(input)} is not one of ${listed(choices)}`
    : `must be one of ${listed(choices)}`;
}

interface Bound {
  origin: string;
  limit: number | bigint;
  inclusive?: boolean | undefined;
}

function explainTooSmall({ origin, limit, inclusive = true }: Bound) {
  const isOne = Number(limit) === 1;
  if (origin === 'string') return isOne ? 'must not be empty' : `must have at least ${limit} characters`;
  if (origin === 'array') return isOne ? 'must have at least one item' : `must have at least ${limit} items`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${limit}`;
}

function explainTooBig({ origin, limit, inclusive = true }: Bound) {
  if (origin === 'string') return `must have at most ${limit} characters`;
  if (origin === 'array') return `must have at most ${limit} items`;
  return `must be ${inclusive ? 'at most' : 'less than'} ${limit}`;
}

/**
 * Describes the problem of a value that matches no alternative of a union. If it has the type of one alternative, the
 * message is that alternative's. Otherwise it lists what each alternative expects.
 */
function explainUnion(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const isOther = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0;
  const meant = branches.find((issues) => !issues.some(isOther));
  if (meant?.[0]) return meant[0].message;
  const messages = branches.flatMap(([first]) => (first ? [first.message.replace(/^must be /, '')] : []));
  return messages.length > 0 ? `must be ${[...new Set(messages)].join(' or ')}` : 'is not valid';
}

const maxCharacters = 400;

/** Joins names with commas. Those beyond `maxCharacters` characters are counted instead, so that no name is cut. */
export function listed(names: readonly string[]): string {
  let length = 0;
  const shown = names.filter((name) => {
    length += name.length + 2;
    return length <= maxCharacters;
  });
  const rest = names.length - shown.length;
  if (rest === 0) return shown.join(', ');
  return shown.length === 0 ? `${rest} names` : `${shown.join(', ')} and ${rest} more`;
}

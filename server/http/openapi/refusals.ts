import type { oas31 } from 'openapi3-ts';
import {
  type ErrorCode,
  type ErrorOccasion,
  type ErrorRow,
  errorCodes,
  errors,
} from '../../../shared/contract/errors.ts';
import { type FactorChallenge, factorNames } from '../../../shared/contract/features/factors.ts';
import { typeName } from '../../../shared/contract/names-of.ts';
import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import { roleNames } from '../../../shared/contract/roles.ts';
import { STATUS_CODES } from '../../../shared/runtime/node-http.ts';
import type { RestProcedure } from '../../api/procedures.ts';
import { headersOf } from './headers.ts';

export interface Refusal {
  status: number;
  name: string;
  codes: ErrorCode[];
}

export function refusalsOf(procedure: RestProcedure): Refusal[] {
  const occasions = occasionsOf(procedure);
  const declared = procedure.meta.errors ?? [];
  const codes = errorCodes.filter((code) => {
    const { when }: ErrorRow = errors[code];
    return (when && occasions.has(when)) || declared.includes(code);
  });
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  const of = procedure.meta.multipart ? 'Upload' : '';
  return [...byStatus].map(([status, codes]) => ({ status, codes, name: nameOf(of, status, codes) }));
}

function occasionsOf(procedure: RestProcedure): Set<ErrorOccasion> {
  const { meta, input } = procedure;
  const { shape = {} } = input ?? {};
  const addressesOne = Object.values(shape).some((field) => field === RecordId || field === SlugAddress);
  const occasions: [ErrorOccasion, boolean][] = [
    ['always', true],
    ['credential', meta.access !== 'public'],
    ['key', meta.access === 'key'],
    ['write', procedure.isWrite],
    ['body', procedure.takesBody],
    ['record', addressesOne],
    ['conditional', meta.conditional === true],
    ['proof', meta.needsProof === true],
  ];
  return new Set(occasions.flatMap(([occasion, applies]) => (applies ? [occasion] : [])));
}

/**
 * Names a response after its only code, or after its status if it has several. `of` is a prefix for operations with
 * their own set of codes.
 */
function nameOf(of: string, status: number, codes: readonly ErrorCode[]): string {
  const [only, ...others] = codes;
  return typeName(only && others.length === 0 ? only : `${of} ${STATUS_CODES[status] ?? status}`.trim());
}

/** Creates the response of a refusal: the error envelope with its codes, and an example of each. */
export function refusalResponse({ status, name, codes }: Refusal): oas31.ResponseObject {
  const examples = codes.map((code) => [code, { value: { error: { code, message: errors[code].message } } }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}.`).join('\n'),
    headers: headersOf(status),
    content: {
      'application/json': { schema: envelope(name, codes), examples: Object.fromEntries(examples) },
    },
  };
}

const listOf = (description: string, properties: Record<string, oas31.SchemaObject>): oas31.SchemaObject => ({
  type: 'array',
  description,
  items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});

const fieldErrors = listOf('Invalid fields; present with `validation_failed`', {
  path: { type: 'string', description: 'Path of the field, such as `tags.1`; empty for the whole body' },
  message: { type: 'string', description: 'Human-readable message; may change' },
});

const siteChoices = listOf('Sites to choose from; present with `site_required`', {
  id: { type: 'string', description: 'ID to send as `site_id`' },
  name: { type: 'string', description: 'Name of the site' },
  role: { type: 'string', enum: [...roleNames], description: 'Role of the account on this site' },
});

const factorChallenge: Record<keyof FactorChallenge, oas31.SchemaObject> = {
  challenge: {
    type: 'string',
    description:
      'Challenge to send with the second factor; present with `second_factor_required`. Valid for 5 minutes, 5 attempts and one successful use',
  },
  factors: {
    type: 'array',
    description: 'Second factors that are accepted; present with `second_factor_required`',
    items: { type: 'string', enum: [...factorNames] },
  },
  options: {
    type: 'object',
    description:
      'Options for `navigator.credentials.get`; present with `second_factor_required` if the account has a passkey',
  },
};

const envelope = (name: string, codes: readonly ErrorCode[]): oas31.SchemaObject => ({
  title: name.endsWith('Error') ? name : `${name}Error`,
  type: 'object',
  properties: {
    error: {
      type: 'object',
      description: 'Error',
      properties: {
        code: { type: 'string', enum: [...codes], description: 'Stable error code for programs' },
        message: { type: 'string', description: 'Human-readable message; may change' },
        ...(codes.includes('validation_failed') && { fields: fieldErrors }),
        ...(codes.includes('site_required') && { sites: siteChoices }),
        ...(codes.includes('second_factor_required') && factorChallenge),
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
});

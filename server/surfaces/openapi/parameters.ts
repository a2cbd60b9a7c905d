import type { oas31 } from 'openapi3-ts';
import { idempotency } from '../../../shared/contract/limits.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';
import { parametersOf } from './paths.ts';

/** The generated parameters, described beside their schemas, and named as `documentPath` names them. */
export function completeParameters(
  { parameters = [] }: oas31.OperationObject,
  { name, meta }: RestProcedure,
  documentPath: string,
): oas31.ParameterObject[] {
  const names = parametersOf(meta.openapi.path);
  const shown = parametersOf(documentPath);
  return parameters.map((parameter) => {
    if ('$ref' in parameter || !parameter.schema || '$ref' in parameter.schema)
      throw new Error(`${name} has a parameter that is a reference`);
    const { description = '', ...schema } = parameter.schema;
    const place = names.indexOf(parameter.name);
    return {
      ...parameter,
      name: parameter.in === 'path' ? (shown[place] ?? parameter.name) : parameter.name,
      required: parameter.required ?? false,
      description,
      schema,
    };
  });
}

/** Request headers of an operation besides its credential. */
export function headersIn(procedure: RestProcedure): oas31.ParameterObject[] {
  const { memberToken, previewToken, cached, conditional } = procedure.meta;
  const member =
    'Session token of a member; returns content that the access tiers and purchases of the member include. An invalid token is ignored';
  const preview = 'Token of a preview link of the site; it determines the draft and the reader to show it as';
  const tag = '`ETag` of an earlier response; returns 304 without a body if it is still current';
  const condition =
    'One or several `ETag`s of the record; if its current revision matches none of them, nothing is changed and 412 is returned';
  return [
    ...(memberToken ? [header('X-Member-Token', member)] : []),
    ...(previewToken ? [header('X-Preview-Token', preview)] : []),
    ...(cached ? [header('If-None-Match', tag)] : []),
    ...(procedure.isWrite ? [idempotencyKey(procedure.name)] : []),
    ...(conditional ? [header('If-Match', condition)] : []),
  ];
}

const { hours, keyLength } = idempotency;

/** Tools that fill in examples send every write under its own key, since one key is good for one request. */
const idempotencyKey = (name: string): oas31.ParameterObject => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Unique key of this write, such as a UUID. The request is executed once; for ${hours} hours, repeated requests with the same key get the first response`,
  schema: {
    type: 'string',
    minLength: keyLength.min,
    maxLength: keyLength.max,
    pattern: '^[\\x20-\\x7e]+$',
    examples: [`${name}-8e03978e`],
  },
});

const header = (name: string, description: string): oas31.ParameterObject => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/**
 * Disables the example of an optional parameter for sample requests of the API reference, which otherwise contain it: filters
 * that exclude each other find nothing, and a second request with the same idempotency key is not carried out.
 */
export function leaveOutOfSamples(parameter: oas31.ParameterObject): oas31.ParameterObject {
  const { schema = {}, required } = parameter;
  if (required || '$ref' in schema || !schema.examples) return parameter;
  return { ...parameter, examples: { default: { value: schema.examples[0], 'x-disabled': true } } };
}

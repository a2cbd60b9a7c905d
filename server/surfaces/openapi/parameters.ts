import type { oas31 } from 'openapi3-ts';
import type { Meta } from '../../kernel/meta.ts';
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
      throw new Error(`${name} has a parameter elsewhere`);
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
export function headersIn({ memberToken, cached }: Meta): oas31.ParameterObject[] {
  const member = 'Session token of a member, whose tiers and purchases open bodies; a bad one is ignored';
  const tag = 'The `ETag` of an earlier answer, to be told only whether it is still right';
  return [
    ...(memberToken ? [header('X-Member-Token', member)] : []),
    ...(cached ? [header('If-None-Match', tag)] : []),
  ];
}

const header = (name: string, description: string): oas31.ParameterObject => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

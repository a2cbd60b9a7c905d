import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';
import type { Meta } from '../../kernel/meta.ts';
import { type RestProcedure, takesBody } from '../../kernel/procedures.ts';
import { schemaOf } from './json-schema.ts';
import { parametersOf } from './paths.ts';

/** Parameters of an operation in the path, as `documentPath` names them, and in the query. */
export function parametersIn(procedure: RestProcedure, documentPath: string): oas31.ParameterObject[] {
  const { shape = {} } = procedure.input ?? {};
  const names = parametersOf(procedure.meta.rest.path);
  const shown = parametersOf(documentPath);
  const inPath = names.map((name, position) =>
    parameter(shape[name], { name: shown[position] ?? name, in: 'path' }),
  );
  if (takesBody(procedure)) return inPath;
  const others = Object.entries(shape).filter(([name]) => !names.includes(name));
  return [...inPath, ...others.map(([name, contract]) => parameter(contract, { name, in: 'query' }))];
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

function parameter(
  contract: unknown,
  { name, in: place }: { name: string; in: 'path' | 'query' },
): oas31.ParameterObject {
  if (!(contract instanceof z.ZodType)) throw new Error(`parameter ${name} is in no input`);
  const list = listOf(contract);
  const { description, ...schema } = schemaOf(list ?? contract, 'input');
  return {
    name,
    in: place,
    required: !contract.safeParse(undefined).success,
    description: contract.meta()?.description ?? description ?? '',
    schema,
    ...(list ? { style: 'form', explode: false } : {}),
  };
}

/** A list that RPC takes as an array, and as one comma-separated word: the form it has in a query. */
function listOf(contract: z.ZodType): z.ZodType | undefined {
  const union = contract instanceof z.ZodOptional ? contract.unwrap() : contract;
  if (!(union instanceof z.ZodUnion)) return undefined;
  return union.options.find((option): option is z.ZodArray => option instanceof z.ZodArray);
}

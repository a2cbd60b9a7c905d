import type { oas31 } from 'openapi3-ts';
import type { RestProcedure } from '../../../kernel/procedures.ts';
import { parametersOf } from '../paths.ts';

/** The request that the samples of an operation make, once for all languages. */
export interface SampleRequest {
  origin: string;
  method: string;
  /** With its query, parameters filled in. */
  path: string;
  /** The variable of the environment that holds the credential; undefined where none is needed. */
  secret: 'API_KEY' | 'OWNER_TOKEN' | undefined;
  /** Whether it takes the token of a preview link. */
  showsPreview: boolean;
  /** Undefined where none is sent. */
  body: unknown;
  sendsFile: boolean;
  /** The same for the client package: the procedure, and all that it is given. */
  call: { name: string; verb: 'query' | 'mutate'; input: Record<string, unknown> };
}

/** Lists are shown a few records long. */
const fewRecords = 3;

const secrets = { key: 'API_KEY', owner: 'OWNER_TOKEN', public: undefined } as const;

/** What the samples of `operation` send, made of its examples. */
export function sampleRequest(
  operation: oas31.OperationObject,
  { name, meta, type }: RestProcedure,
  origin: string,
): SampleRequest {
  const parameters = (operation.parameters ?? []).filter((one) => 'in' in one);
  const inPath = parameters.filter((one) => one.in === 'path').map(shownValue);
  const query = parameters.flatMap((one) => (one.in === 'query' ? queryOf(one) : []));
  const body = bodyOf(operation);
  const { path } = meta.openapi;
  const named = parametersOf(path).map((parameter, at) => [parameter, inPath[at]]);
  const values = [...inPath];
  const filled = path.replace(/{\w+}/g, () => String(values.shift()));
  const search = new URLSearchParams(query.map(([key, value]) => [key, String(value)])).toString();
  return {
    origin,
    method: meta.openapi.method,
    path: search ? `${filled}?${search}` : filled,
    secret: secrets[meta.access ?? 'public'],
    showsPreview: meta.previewToken === true,
    body,
    sendsFile: meta.multipart === true,
    call: {
      name,
      verb: type === 'query' ? 'query' : 'mutate',
      input: { ...Object.fromEntries([...named, ...query]), ...body },
    },
  };
}

const schemaOf = ({ schema = {} }: oas31.ParameterObject): oas31.SchemaObject =>
  '$ref' in schema ? {} : schema;

const shownValue = (parameter: oas31.ParameterObject): unknown => schemaOf(parameter).examples?.[0];

/** Only what makes an answer short, or is needed: everything else stands in the table of parameters. */
function queryOf(parameter: oas31.ParameterObject): [string, unknown][] {
  if (['limit', 'per_page'].includes(parameter.name)) return [[parameter.name, fewRecords]];
  return parameter.required ? [[parameter.name, shownValue(parameter)]] : [];
}

function bodyOf({ requestBody }: oas31.OperationObject): object | undefined {
  if (!requestBody || '$ref' in requestBody) return undefined;
  return requestBody.content['application/json']?.example;
}

import type { oas31 } from 'openapi3-ts';
import type { RestProcedure } from '../../../kernel/procedures.ts';
import { client, curl, fetchScript, python } from './languages.ts';
import { sampleRequest } from './sample-request.ts';

/** As readers of OpenAPI documents know it (`x-codeSamples`). */
interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

const languages = [
  { lang: 'shell', label: 'curl', write: curl },
  { lang: 'javascript', label: 'fetch', write: fetchScript },
  { lang: 'typescript', label: 'Client', write: client },
  { lang: 'python', label: 'Python', write: python },
] as const;

/**
 * How programs make the request of `operation`, in each language that can. Each runs as it is: it names this server, and takes
 * the credential from the environment.
 */
export function codeSamples(
  operation: oas31.OperationObject,
  procedure: RestProcedure,
  origin: string,
): CodeSample[] {
  const request = sampleRequest(operation, procedure, origin);
  return languages.flatMap(({ lang, label, write }) => {
    const source = write(request);
    return source === undefined ? [] : [{ lang, label, source }];
  });
}

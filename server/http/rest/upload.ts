import type { FastifyRequest } from 'fastify';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { unknownField } from '../../../shared/contract/validation-messages.ts';
import { ApiError } from '../../api/api-error.ts';
import type { IncomingFile, IncomingForm } from '../../api/incoming-file.ts';
import type { Http } from '../send-representation.ts';

/** Limits of a form. It may have one file; the reader of the file limits its size. */
const limits = { fileSize: Number.POSITIVE_INFINITY, files: 2, fields: 2, parts: 3, headerPairs: 20 };

/**
 * Returns the form of an upload before it is read. Throws `invalid_request` for another content type. `open` throws
 * `invalid_request` for a broken form, and `validation_failed` if the first part is not the file.
 */
export function readUpload(request: FastifyRequest): { file: IncomingForm } {
  if (!request.isMultipart())
    throw new ApiError(
      'invalid_request',
      'invalid request body: send multipart/form-data with the file in the field `file`',
    );
  return { file: { open: () => openFile(request) } };
}

async function openFile(request: FastifyRequest): Promise<IncomingFile> {
  const parts = request.parts({ limits });
  const next = async () => {
    const { value } = await parts.next().catch((cause: unknown) => {
      throw new ApiError('invalid_request', 'invalid request body: not a complete multipart/form-data body', {
        cause,
      });
    });
    return value ?? null;
  };
  const part = await next();
  if (part?.type !== 'file' || part.fieldname !== 'file') throw misfit(part?.fieldname);
  // The upload may break off while it waits for a slot of the quota; its reader then gets the error.
  part.file.on('error', () => {});
  return {
    name: part.filename,
    content: part.file,
    async ended() {
      const more = await next();
      if (more) throw misfit(more.fieldname);
    },
  };
}

const misfit = (name: string | undefined) =>
  new ApiError(
    'validation_failed',
    name === undefined || name === 'file'
      ? 'file: must be exactly one file'
      : `${cutText(name, 100)}: ${unknownField}; the form may contain only \`file\``,
  );

/**
 * Stops reading a refused form, and closes the connection after the response. A form that was received completely needs
 * neither.
 */
export function leaveRest({ request, reply }: Http) {
  if (request.raw.complete) return;
  request.raw.unpipe();
  reply.header('Connection', 'close');
}

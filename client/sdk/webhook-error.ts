/** Why a delivery was refused. */
export type WebhookRefusal =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'missing_timestamp'
  | 'timestamp_out_of_tolerance'
  | 'malformed_body'
  | 'unknown_event';

/**
 * A delivery that must not be trusted: answer it with 400. Only with `unknown_event` it is genuine, but newer than this
 * package: answer it with 2xx.
 */
export class WebhookError extends Error {
  override readonly name: string = 'WebhookError';
  readonly refusal: WebhookRefusal;

  constructor(refusal: WebhookRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

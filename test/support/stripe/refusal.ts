import type { Stripe } from 'stripe';

/** Error that the stand-in answers with, in Stripe's form. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly details: { type?: string; code?: string; param?: string };

  constructor(status: number, message: string, details: StripeRefusal['details'] = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  get body() {
    const type = this.details.type ?? types[this.status] ?? 'invalid_request_error';
    return { error: { ...this.details, type, message: this.message } };
  }
}

const types: Record<number, Stripe.RawErrorType> = {
  401: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
};

export const noSuch = (kind: string, id: string) =>
  new StripeRefusal(404, `No such ${kind}: '${id}'`, { code: 'resource_missing', param: 'id' });

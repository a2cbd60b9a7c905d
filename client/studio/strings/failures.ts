import type { ErrorCode } from '../../sdk/index.ts';

/**
 * Converts a field's problem into the message below the field; undefined without a problem. The contract words it to
 * follow a field's name: "must be the id of a course".
 */
export function describeProblem(problem: string | undefined): string | undefined {
  if (problem === undefined) return;
  if (problem === 'is required' || problem === 'must not be empty') return 'Fill in this field.';
  const isReference = problem.startsWith('must be the id of ');
  return isReference ? 'Choose from the list.' : `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
}

export const failures = {
  errors: {
    offline: 'The service can’t be reached. Your changes are kept; try again when you are online.',
    unknown: 'Something went wrong. Your changes are kept.',
    failedToLoad: 'This couldn’t be loaded',
    notLoaded: 'This part of the studio couldn’t be loaded',
    notLoadedLead: 'You may be offline, or the studio was updated. Your changes are kept.',
    broke: 'Something went wrong here',
    brokeLead: 'Your changes are kept. Try again, or continue on another page.',
    notFound: 'Page not found',
    notFoundLead: 'It may have been deleted, or the URL is wrong.',
    limitedFor: (when: string) => `Too many requests. Try again ${when}.`,
    byCode: {
      invalid_request: 'The request was invalid.',
      validation_failed: 'Check the marked fields.',
      unauthorized: 'Your session has ended. Sign in again.',
      key_disabled: 'This key is disabled.',
      key_expired: 'This key has expired.',
      insufficient_scope: 'Your plan doesn’t include this.',
      origin_not_allowed: 'This site is not among the allowed origins.',
      insufficient_role: 'Your role on this site doesn’t allow this.',
      second_factor_required: 'Signing in takes one more step.',
      proof_required: 'Your identity was not confirmed, so nothing was changed.',
      account_exists: 'You already have an account: sign in, then open the link again.',
      site_required: 'You work on several sites. Choose one.',
      last_owner: 'A site needs at least one owner. Make someone else an owner first.',
      mcp_disabled: 'Assistants are disabled for this site.',
      not_found: 'Not found: it may have been deleted.',
      method_not_allowed: 'The service does not support this.',
      precondition_failed: 'Someone else changed this. Reload to see the changes.',
      suppressed: 'Mail to this address bounced, or the reader complained. Only they can subscribe again.',
      attempt_running: 'This delivery is being sent right now. Wait a moment.',
      replay_running: 'The last replay is still running. Wait until it is done.',
      transfer_busy: 'An export or import is running. Wait until it is done.',
      offer_unavailable: 'This offer is not available right now.',
      media_in_use: 'This file is in use. Remove it from your texts and settings first.',
      already_entitled: 'This address already has access, or its payment is on the way.',
      payment_conflict: 'The payment provider manages this sale. Correct it there.',
      provider_refused: 'The payment provider refused this.',
      payments_not_configured: 'Payments are not set up for this site.',
      provider_unavailable: 'The payment provider can’t be reached. Try again in a moment.',
      not_entitled: 'The lessons of this course are not open to this reader.',
      lesson_locked: 'This lesson opens after the lessons before it.',
      course_not_completed: 'The course is not completed yet.',
      event_expired: 'Events are kept for seven days; this one is too old to resend.',
      payload_too_large: 'This text is too long to be saved. Split it in two.',
      newsletter_limit: 'This exceeds your plan’s monthly limit of newsletter emails.',
      already_mailed: 'This post was already sent. To send it again, confirm below.',
      mailing_state: 'The newsletter’s status has changed. Reload to see it.',
      mail_not_configured:
        'No mail server is set up, so nothing can be sent. The operator sets it in SMTP_URL.',
      media_full: 'Your plan’s storage is full. Delete some files first.',
      unsupported_media_type: 'Unsupported file type. Use images, PDF, audio or video.',
      media_damaged: 'The file is damaged or incomplete.',
      image_too_large: 'The image has too many pixels. Upload a smaller one.',
      busy: 'This site is busy. Try again in a moment.',
      uploads_busy: 'Too many uploads are running. Try again in a moment.',
      media_unavailable: 'The media store is unavailable. Try again later.',
      insufficient_storage: 'The server’s storage is full. Try again later.',
      idempotency_key_reused: 'This was sent twice with different data. Reload the page.',
      rate_limited: 'Too many requests. Wait a few seconds, then try again.',
      too_many_followers: 'Too many programs follow this site’s events.',
      database_busy: 'The service is busy. Your changes are kept; try again in a moment.',
      database_unavailable: 'The service is restarting. Your changes are kept; try again in a moment.',
      writes_paused: 'The service can’t save at the moment. Your changes are kept; try again later.',
      internal_error: 'The service had an error. Your changes are kept; try again in a moment.',
      webhooks_not_provisioned: 'Webhooks are not set up on this service yet.',
    } satisfies Record<ErrorCode, string>,
  },
} as const;

import type { ErrorCode } from '../../sdk/index.ts';

/** What went wrong. */
export const failures = {
  errors: {
    offline: 'The service can’t be reached. Your changes are kept here; try again when you are back online.',
    unknown: 'Something went wrong. Your changes are kept here.',
    failedToLoad: 'This couldn’t be loaded',
    notFound: 'There is nothing here',
    notFoundLead: 'It may have been deleted, or the address is wrong.',
    byCode: {
      invalid_request: 'The service didn’t understand the request.',
      validation_failed: 'Some values need another look.',
      unauthorized: 'Your session has ended. Sign in again.',
      key_disabled: 'This API key is switched off.',
      key_expired: 'This API key has expired.',
      insufficient_scope: 'Your plan doesn’t include this.',
      origin_not_allowed: 'This site is not among the allowed origins.',
      mcp_disabled: 'Assistants are switched off for this site.',
      not_found: 'This record is gone: somebody deleted it meanwhile.',
      method_not_allowed: 'The service doesn’t offer this.',
      precondition_failed: 'Somebody changed this record meanwhile. Load it again to see what they wrote.',
      attempt_running: 'This delivery is being sent right now. Wait a moment.',
      replay_running: 'The last replay is still under way. Wait until it has ended.',
      moving_busy: 'An export or import is still under way. Wait until it has ended.',
      event_expired: 'Events are kept for seven days; this one can’t be sent again.',
      payload_too_large: 'This text is too long to be saved. Split it in two.',
      media_full: 'Your plan’s room for files is used up. Delete some first.',
      unsupported_media_type: 'This kind of file is not taken. Images, PDF, audio and video are.',
      media_damaged: 'The file is damaged or incomplete.',
      image_too_large: 'The image has too many pixels. Upload a smaller one.',
      busy: 'Too much of this site is being read just now. Try again in a moment.',
      uploads_busy: 'Many files are being uploaded just now. Try again in a moment.',
      idempotency_key_reused: 'This was sent twice with different contents. Load the page again.',
      rate_limited: 'That was a lot at once. Wait a few seconds, then try again.',
      too_many_followers: 'Too many programs follow this site’s events already.',
      database_busy: 'The service is busy just now. Your changes are kept here; try again in a moment.',
      database_unavailable:
        'The service is being restarted just now. Your changes are kept here; try again in a moment.',
      writes_paused:
        'The service can’t save anything at the moment. Your changes are kept here; try again later.',
      internal_error: 'The service had a problem. Your changes are kept here; try again in a moment.',
      webhooks_not_provisioned: 'Webhooks are not set up on this service yet.',
    } satisfies Record<ErrorCode, string>,
  },
} as const;

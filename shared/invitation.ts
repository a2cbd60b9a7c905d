import { base62, type RandomBytes, randomText } from './contract/record-id.ts';

/** A new token of the link by which somebody comes to work on a site: `svc_invite_` and 43 base62 characters. */
export const newInvitationToken = (randomBytes: RandomBytes) =>
  `svc_invite_${randomText(base62, 43, randomBytes)}`;

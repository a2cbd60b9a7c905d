/** Of a copy: the same however often it is sent. */
export const messageIdOf = (copy: { id: string; mailing_id: string; host: string }) =>
  `<${copy.id}.${copy.mailing_id}@${copy.host}>`;

/** The id of the copy that a `Message-ID` names, in angle brackets or not; null for one that isn't of ours. */
export const readMessageId = (text: string): string | null =>
  /^<?([a-z0-9]{15})\.[a-z0-9]{15}@/.exec(text.trim())?.[1] ?? null;

import { briefly, inFull } from '../texts/moments.ts';

/** A moment in brief, and in full for who asks. */
export const Moment = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()} title={inFull(at)}>
    {briefly(at)}
  </time>
);

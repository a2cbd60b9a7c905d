import { briefly, inFull } from '../texts/moments.ts';

/** A moment in brief, with what is said of it, and in full for who asks. */
export const Moment = ({ at, said = (brief) => brief }: { at: Date; said?(brief: string): string }) => (
  <time dateTime={at.toISOString()} title={inFull(at)}>
    {said(briefly(at))}
  </time>
);

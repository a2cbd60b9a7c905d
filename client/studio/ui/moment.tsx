import { createContext, useContext } from 'react';
import { utc } from '../../../shared/contract/time-zone.ts';
import { type Moments, momentsIn } from '../strings/moments.ts';

const TimeZone = createContext(utc);

/** Sets the time zone of the screens below to the site's. */
export const TimeZoneProvider = TimeZone.Provider;

/** Returns functions that format and parse times in the site's time zone. */
export const useMoments = (): Moments => momentsIn(useContext(TimeZone));

interface MomentProps {
  at: Date;
  /** Shows day and time instead of a short form. */
  isFull?: boolean;
  /** Returns the text to show for the formatted time, such as “Finished May 3”. */
  said?(time: string): string;
}

/** A time, in short form unless `isFull`, with day and time as its tooltip. */
export function Moment({ at, isFull = false, said = (time) => time }: MomentProps) {
  const { briefly, inFull } = useMoments();
  return (
    <time dateTime={at.toISOString()} title={inFull(at)}>
      {said(isFull ? inFull(at) : briefly(at))}
    </time>
  );
}

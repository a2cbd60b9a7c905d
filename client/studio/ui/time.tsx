import { createContext, useContext } from 'react';
import { utc } from '../../../shared/contract/time-zone.ts';
import { type TimeFormat, timeFormatIn } from '../strings/time-format.ts';

const TimeZone = createContext(utc);

/** Sets the time zone of the screens below to the site's. */
export const TimeZoneProvider = TimeZone.Provider;

/** Returns functions that format and parse times in the site's time zone. */
export const useTimeFormat = (): TimeFormat => timeFormatIn(useContext(TimeZone));

interface TimeProps {
  at: Date;
  /** Shows day and time instead of a short form. */
  isFull?: boolean;
  /** Returns the text to show for the formatted time, such as “Finished May 3”. */
  said?(time: string): string;
}

/** A time, in short form unless `isFull`, with day and time as its tooltip. */
export function Time({ at, isFull = false, said = (time) => time }: TimeProps) {
  const { briefly, inFull } = useTimeFormat();
  return (
    <time dateTime={at.toISOString()} title={inFull(at)}>
      {said(isFull ? inFull(at) : briefly(at))}
    </time>
  );
}

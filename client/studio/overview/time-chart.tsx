import { Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import { texts } from '../texts/texts.ts';
import classes from './overview.module.css';

export interface Day {
  /** `YYYY-MM-DD` */
  date: string;
  views: number;
  visitors: number;
}

const height = 200;
const inset = { top: 8, bottom: 24 };
const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const dayName = (date: string) => short.format(new Date(`${date}T00:00:00Z`));

/** Views and visitors by day, as two lines over one scale. The same numbers stand in the table beside it. */
export function TimeChart({ days }: { days: readonly Day[] }) {
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  const highest = Math.max(4, ...days.map(({ views }) => views));
  const x = (index: number) => (days.length > 1 ? (index / (days.length - 1)) * width : width / 2);
  const y = (count: number) => inset.top + (1 - count / highest) * (height - inset.top - inset.bottom);
  const line = (of: 'views' | 'visitors') =>
    days.map((day, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(day[of])}`).join('');
  const base = height - inset.bottom;
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left } = currentTarget.getBoundingClientRect();
    const index = Math.round(((clientX - left) / width) * (days.length - 1));
    setAt(Math.min(Math.max(index, 0), days.length - 1));
  };
  const shown = at === null ? undefined : days[at];
  return (
    <div ref={ref} className={classes.chart}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={texts.overview.overTime}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
      >
        {[0, 0.5, 1].map((part) => (
          <line
            key={part}
            x1={0}
            x2={width}
            y1={y(highest * part)}
            y2={y(highest * part)}
            className={classes.grid}
          />
        ))}
        <path d={`${line('views')}L${width} ${base}L0 ${base}Z`} className={classes.area} />
        <path d={line('views')} className={classes.line} data-tone="views" />
        <path d={line('visitors')} className={classes.line} data-tone="visitors" />
        {labelled(days.length).map((index) => (
          <text
            key={index}
            x={x(index)}
            y={height - 4}
            textAnchor={anchorOf(index, days.length)}
            className={classes.tick}
          >
            {dayName(days[index]?.date ?? '')}
          </text>
        ))}
        {at !== null && shown && (
          <>
            <line x1={x(at)} x2={x(at)} y1={inset.top} y2={base} className={classes.cursor} />
            <circle cx={x(at)} cy={y(shown.views)} r={4} className={classes.point} data-tone="views" />
            <circle cx={x(at)} cy={y(shown.visitors)} r={4} className={classes.point} data-tone="visitors" />
          </>
        )}
      </svg>
      {at !== null && shown && (
        <div className={classes.tip} style={{ insetInlineStart: Math.min(Math.max(x(at), 70), width - 70) }}>
          <Text fz={12} fw={600}>
            {dayName(shown.date)}
          </Text>
          <Text fz={12}>
            {shown.views} {texts.overview.views}
          </Text>
          <Text fz={12}>
            {shown.visitors} {texts.overview.visitors}
          </Text>
        </div>
      )}
    </div>
  );
}

/** Which days are named below the chart: a few, the first and last among them. */
function labelled(count: number): number[] {
  const parts = Math.min(count - 1, 4);
  return Array.from({ length: parts + 1 }, (_, part) =>
    Math.round((part / Math.max(parts, 1)) * (count - 1)),
  );
}

const anchorOf = (index: number, count: number) =>
  index === 0 ? 'start' : index === count - 1 ? 'end' : 'middle';

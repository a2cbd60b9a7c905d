import { Group, Input, Slider } from '@mantine/core';
import { useMove } from '@mantine/hooks';
import type { Focus } from '../../../../shared/contract/features/media.ts';
import { texts } from '../../texts/texts.ts';
import classes from './focus-input.module.css';

interface FocusInputProps {
  /** Of the picture. */
  address: string;
  value: Focus | null;
  onChange(focus: Focus): void;
}

/** The point of a picture that stays in sight, and what it looks like in the shapes that it is cut to. */
export function FocusInput({ address, value, onChange }: FocusInputProps) {
  const { x, y } = value ?? { x: 50, y: 50 };
  const { ref } = useMove((at) => onChange({ x: Math.round(at.x * 100), y: Math.round(at.y * 100) }));
  return (
    <Input.Wrapper label={texts.media.focus} labelElement="div" description={texts.media.focusHelp}>
      <Group gap="md" mt={6} align="flex-start">
        <div>
          <div ref={ref} className={classes.whole}>
            <img src={address} alt="" draggable={false} />
            <span className={classes.point} style={{ left: `${x}%`, top: `${y}%` }} />
          </div>
          <Slider
            mt="xs"
            size="sm"
            thumbLabel={texts.media.fromLeft}
            label={null}
            value={x}
            onChange={(left) => onChange({ x: left, y })}
          />
          <Slider
            mt="xs"
            size="sm"
            thumbLabel={texts.media.fromTop}
            label={null}
            value={y}
            onChange={(top) => onChange({ x, y: top })}
          />
        </div>
        {(['wide', 'round'] as const).map((shape) => (
          <img
            key={shape}
            src={address}
            alt=""
            className={classes.cut}
            data-shape={shape}
            style={{ objectPosition: `${x}% ${y}%` }}
          />
        ))}
      </Group>
    </Input.Wrapper>
  );
}

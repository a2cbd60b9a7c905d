import { Textarea } from '@mantine/core';
import classes from './record-form.module.css';

interface TitleInputProps {
  label: string;
  placeholder: string;
  value: string;
  problem: string | undefined;
  autoFocus: boolean;
  onChange(value: string): void;
  onLeave(): void;
}

/** A record's name, written where and as it will stand: as the heading of the screen. */
export function TitleInput({ label, value, problem, onChange, onLeave, ...rest }: TitleInputProps) {
  return (
    <div className={classes.title}>
      <Textarea
        {...rest}
        variant="unstyled"
        aria-label={label}
        autosize
        minRows={1}
        classNames={{ input: classes.titleInput }}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.replaceAll('\n', ' '))}
        onBlur={onLeave}
        error={problem}
        withErrorStyles={false}
      />
    </div>
  );
}

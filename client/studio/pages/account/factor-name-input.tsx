import { TextInput } from '@mantine/core';
import { texts } from '../../texts/texts.ts';

interface FactorNameInputProps {
  value: string;
  example?: string;
  onChange(name: string): void;
}

/** What its owner calls a factor. */
export const FactorNameInput = ({ value, example = '', onChange }: FactorNameInputProps) => (
  <TextInput
    required
    withAsterisk={false}
    size="md"
    maxLength={100}
    {...texts.factors.name}
    placeholder={example}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

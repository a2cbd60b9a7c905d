import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { accessTierLabels, accessTiers } from '../../../shared/contract/resources/access-tier.ts';
import { useApi } from '../data/api.tsx';
import { queryOf } from '../data/queries.ts';
import { recordsOf } from '../data/records.ts';
import { choicesOf } from '../forms/input-props.ts';
import { strings } from '../strings/ui-strings.ts';

interface TierInputProps {
  name: string;
  label: string;
  error: ReactNode;
  value: string;
  onChange(value: string): void;
  onBlur?: (() => void) | undefined;
}

/** Collections whose records have an access tier. */
const tiered = ['posts', 'courses'] as const;
/** Number of newest records of each collection in `tiered` whose custom tiers are suggested. */
const newest = 200;
/** Value of the choice that opens an input for a new tier. */
const another = '';

/** Input for an access tier: a standard one, one that the site already uses, or a new one. */
export function TierInput({ name, label, error, value, onChange, onBlur }: TierInputProps) {
  const [isTyping, setTyping] = useState(false);
  const [isOpened, setOpened] = useState(false);
  const own = useOwnTiers(isOpened).filter((tier) => tier !== value);
  const isOwn = value !== '' && !accessTiers.some((tier) => tier === value);
  const choices = [
    ...choicesOf(accessTierLabels),
    ...[...(isOwn && !isTyping ? [value] : []), ...own].map((tier) => ({ value: tier, label: tier })),
    { value: another, label: strings.tiers.another },
  ];
  return (
    <Stack gap="xs">
      <Select
        {...{ name, label }}
        data={choices}
        value={isTyping ? another : value}
        description={isTyping ? undefined : consequenceOf(value)}
        error={isTyping ? undefined : error}
        maxDropdownHeight={360}
        comboboxProps={{ withinPortal: false }}
        onDropdownOpen={() => setOpened(true)}
        onBlur={onBlur}
        renderOption={({ option }) => (
          <div>
            <Text fz="sm">{option.label}</Text>
            <Text fz={12} c="dimmed">
              {consequenceOf(option.value)}
            </Text>
          </div>
        )}
        onChange={(chosen) => {
          setTyping(chosen === another);
          if (chosen) onChange(chosen);
        }}
      />
      {isTyping && (
        <TextInput
          label={strings.tiers.name}
          description={strings.tiers.own}
          placeholder="patrons"
          error={error}
          value={isOwn ? value : ''}
          autoFocus
          onBlur={onBlur}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Stack>
  );
}

function consequenceOf(value: string): string {
  if (value === another) return strings.tiers.anotherHelp;
  const known = accessTiers.find((tier) => tier === value);
  return known ? strings.tiers.standard[known] : strings.tiers.own;
}

/** Returns the custom tiers in the site's newest records, once the menu is open. */
function useOwnTiers(isOpened: boolean): string[] {
  const api = useApi();
  const found = useQueries({
    queries: tiered.map((collection) => ({
      ...queryOf(['tiers', collection], recordsOf(api, { collection }).list, {
        fields: ['access_tier'],
        per_page: newest,
      }),
      enabled: isOpened,
    })),
  });
  const tiers = found.flatMap(({ data }) =>
    (data?.items ?? []).map(({ access_tier }) => String(access_tier)),
  );
  return [...new Set(tiers)].filter((tier) => !accessTiers.some((item) => item === tier)).toSorted();
}

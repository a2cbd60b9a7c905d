import { Anchor, MultiSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MailingAudience } from '../../../../shared/contract/features/mailing-audience.ts';
import { accessTierLabels, accessTiers } from '../../../../shared/contract/resources/access-tier.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { queryOf } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import classes from './newsletters.module.css';

export type AudienceCount = OutputOf<ApiClient['studio']['mailings']['audience']>;

const labels = strings.newsletters.compose;

/** Returns the query of the number of recipients of a post, and of those who may read all of it. */
export const audienceQuery = ({ studio }: ApiClient, post_id: string, audience: MailingAudience) =>
  queryOptions({
    ...queryOf(['mailing-audience', post_id, audience], studio.mailings.audience, { post_id, audience }),
    placeholderData: keepPreviousData,
  });

interface AudienceFieldsProps {
  value: MailingAudience;
  /** Count without filters. */
  everybody: AudienceCount;
  /** Count with the chosen filters. */
  count: AudienceCount;
  onChange(audience: MailingAudience): void;
}

/** Inputs for the recipients of a newsletter: all subscribers, or some of them. */
export function AudienceFields({ value, everybody, count, onChange }: AudienceFieldsProps) {
  const { access_tiers = [], sources = [] } = value;
  if (everybody.recipients === 0) return <Nobody />;
  const choose = (tiers: readonly string[], sourceOptions: readonly string[]) => {
    const chosen = accessTiers.filter((tier) => tiers.includes(tier));
    onChange({
      ...(chosen.length > 0 && { access_tiers: chosen }),
      ...(sourceOptions.length > 0 && { sources: [...sourceOptions] }),
    });
  };
  const tiers = everybody.by_tier.flatMap(({ tier, recipients }) => {
    const known = accessTiers.find((name) => name === tier);
    return known ? [{ value: tier, label: labels.counted(accessTierLabels[known], recipients) }] : [];
  });
  const sourceOptions = everybody.by_source.map(({ source, recipients }) => ({
    value: source || nowhere,
    label: labels.counted(source || labels.noSource, recipients),
  }));
  return (
    <section aria-label={labels.who}>
      <Text fz={13} fw={550} mb={2}>
        {labels.who}
      </Text>
      <div className={classes.reach} role="status">
        <strong>{strings.newsletters.readers(count.recipients)}</strong>
        <span>{splitOf(count)}</span>
      </div>
      <Stack gap="md" mt="md">
        {sourceOptions.length > 1 && (
          <MultiSelect
            label={labels.sources}
            {...(sources.length === 0 && { placeholder: labels.sourcesAny })}
            data={sourceOptions}
            value={sources.map((source) => source || nowhere)}
            onChange={(chosen) =>
              choose(
                access_tiers,
                chosen.map((source) => (source === nowhere ? '' : source)),
              )
            }
          />
        )}
        {tiers.length > 0 && (
          <MultiSelect
            label={labels.tiers}
            {...(access_tiers.length === 0 && { placeholder: labels.tiersAny })}
            data={tiers}
            value={access_tiers}
            onChange={(chosen) => choose(chosen, sources)}
          />
        )}
      </Stack>
    </section>
  );
}

/** Value of the choice for subscribers without a source; an empty value would select nothing. */
const nowhere = ' ';

function splitOf({ recipients, open, closed }: AudienceCount): string {
  if (recipients === 0) return labels.noneOfThese;
  return closed === 0 ? labels.allOpen : labels.split(open, closed);
}

const Nobody = () => (
  <section aria-label={labels.who} className={classes.nobody}>
    <Text fz="sm" fw={550}>
      {labels.nobody}
    </Text>
    <Note>
      {labels.nobodyLead}{' '}
      <Anchor component={Link} to="/subscribers" inherit underline="always">
        {labels.toSubscribers}
      </Anchor>
    </Note>
  </section>
);

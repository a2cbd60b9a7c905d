import { Fieldset, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { NewsletterSettings } from '../../../../shared/contract/features/newsletter-settings.ts';
import { DeliveryGaps } from '../../kinds/delivery-gaps.tsx';
import { texts } from '../../texts/texts.ts';

const words = texts.site.newsletter;

interface NewsletterFieldsProps {
  newsletter: NewsletterSettings;
  problem: string | undefined;
  onChange<Name extends keyof NewsletterSettings>(name: Name, value: NewsletterSettings[Name]): void;
}

const choices = [
  { value: 'usual', label: words.confirms.usual, confirm: null },
  { value: 'yes', label: words.confirms.yes, confirm: true },
  { value: 'no', label: words.confirms.no, confirm: false },
] as const;

/** How the newsletters of the site are sent. */
export function NewsletterFields({ newsletter, problem, onChange }: NewsletterFieldsProps) {
  return (
    <Fieldset id="newsletter" legend={words.title} radius="lg">
      <Stack gap="md">
        <DeliveryGaps />
        <TextInput
          {...words.fromName}
          maxLength={100}
          value={newsletter.from_name}
          onChange={({ currentTarget }) => onChange('from_name', currentTarget.value)}
        />
        <TextInput
          type="email"
          {...words.replyTo}
          value={newsletter.reply_to}
          error={problem}
          onChange={({ currentTarget }) => onChange('reply_to', currentTarget.value)}
        />
        <Textarea
          {...words.postalAddress}
          autosize
          minRows={2}
          maxLength={500}
          value={newsletter.postal_address}
          onChange={({ currentTarget }) => onChange('postal_address', currentTarget.value)}
        />
        <Select
          {...words.confirm}
          data={choices.map(({ value, label }) => ({ value, label }))}
          value={choices.find(({ confirm }) => confirm === newsletter.confirm)?.value ?? 'usual'}
          allowDeselect={false}
          onChange={(chosen) =>
            onChange('confirm', choices.find(({ value }) => value === chosen)?.confirm ?? null)
          }
        />
      </Stack>
    </Fieldset>
  );
}

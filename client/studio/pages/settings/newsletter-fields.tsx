import { Fieldset, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { textOf } from '../../forms/input-props.ts';
import { DeliveryGaps } from '../../kinds/delivery-gaps.tsx';
import { texts } from '../../texts/texts.ts';
import type { SiteForm } from './use-site-form.ts';

const words = texts.site.newsletter;

const choices = [
  { value: 'usual', label: words.confirms.usual, confirm: null },
  { value: 'yes', label: words.confirms.yes, confirm: true },
  { value: 'no', label: words.confirms.no, confirm: false },
] as const;

/** How the newsletters of the site are sent. */
export function NewsletterFields({ form }: { form: SiteForm }) {
  const { values, problems, set } = form;
  return (
    <Fieldset id="newsletter" legend={words.title} radius="lg">
      <Stack gap="md">
        <DeliveryGaps />
        <TextInput {...words.fromName} maxLength={100} {...textOf(form, 'from_name')} />
        <TextInput
          type="email"
          {...words.replyTo}
          {...textOf(form, 'reply_to')}
          error={problems.newsletter}
        />
        <Textarea
          {...words.postalAddress}
          autosize
          minRows={2}
          maxLength={500}
          {...textOf(form, 'postal_address')}
        />
        <Select
          {...words.confirm}
          data={choices.map(({ value, label }) => ({ value, label }))}
          value={choices.find(({ confirm }) => confirm === values.confirm)?.value ?? 'usual'}
          allowDeselect={false}
          onChange={(chosen) =>
            set('confirm', choices.find(({ value }) => value === chosen)?.confirm ?? null)
          }
        />
      </Stack>
    </Fieldset>
  );
}

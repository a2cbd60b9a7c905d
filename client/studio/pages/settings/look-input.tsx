import { Radio, SimpleGrid, Text } from '@mantine/core';
import { Theme } from '../../../../shared/contract/features/theme.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { texts } from '../../texts/texts.ts';
import classes from './look-input.module.css';
import { lookPictures } from './look-pictures.tsx';

type Look = Theme['look'];

/** The looks of a site, each as a small picture of a home page. */
export function LookInput({ value, onChange }: { value: Look; onChange(look: Look): void }) {
  return (
    <Radio.Group
      {...texts.site.look}
      value={value}
      onChange={(look) => onChange(Theme.shape.look.parse(look))}
    >
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="xs">
        {keysOf(lookPictures).map((look) => (
          <Radio.Card
            key={look}
            value={look}
            className={classes.card}
            aria-label={texts.site.looks[look].name}
          >
            <svg viewBox="0 0 160 110" aria-hidden="true" className={classes.picture}>
              {lookPictures[look]}
            </svg>
            <Text size="sm" fw={600}>
              {texts.site.looks[look].name}
            </Text>
            <Text size="xs" c="dimmed">
              {texts.site.looks[look].help}
            </Text>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

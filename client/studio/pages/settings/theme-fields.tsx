import { ColorInput, Fieldset, MultiSelect, Select, SimpleGrid, Stack } from '@mantine/core';
import { startingStyles, Theme } from '../../../../shared/contract/features/theme.ts';
import { choicesOf } from '../../forms/field-help.ts';
import { texts } from '../../texts/texts.ts';
import { LookInput } from './look-input.tsx';
import { SitePictures } from './site-pictures.tsx';
import { ThemePreview } from './theme-preview.tsx';

interface ThemeFieldsProps {
  theme: Theme;
  problem: string | undefined;
  onChange<Name extends keyof Theme>(name: Name, value: Theme[Name]): void;
}

const { sections } = Theme.shape;
/** What is chosen from, by what it is called: each choice of the contract has words. */
const choices = {
  font: texts.site.fonts satisfies Record<Theme['font'], string>,
  width: texts.site.widths satisfies Record<Theme['width'], string>,
  scheme: texts.site.schemes satisfies Record<Theme['scheme'], string>,
};

/** How the public site looks. */
export function ThemeFields({ theme, problem, onChange }: ThemeFieldsProps) {
  return (
    <Fieldset id="look" legend={texts.site.theme} radius="lg">
      <Stack gap="md">
        <LookInput
          value={theme.look}
          onChange={(look) => {
            onChange('look', look);
            for (const name of ['accent', 'font', 'width'] as const)
              onChange(name, startingStyles[look][name]);
          }}
        />
        <ColorInput
          {...texts.site.accent}
          value={theme.accent}
          error={problem}
          withEyeDropper={false}
          onChange={(accent) => onChange('accent', accent)}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {(['font', 'width', 'scheme'] as const).map((name) => (
            <Select
              key={name}
              label={texts.site[name]}
              data={choicesOf({ choices: choices[name] })}
              value={theme[name]}
              allowDeselect={false}
              onChange={(value) => onChange(name, Theme.shape[name].parse(value))}
            />
          ))}
        </SimpleGrid>
        <MultiSelect
          {...texts.site.sections}
          data={choicesOf({ choices: texts.site.sectionNames })}
          value={theme.sections}
          onChange={(names) => onChange('sections', sections.parse(names))}
        />
        <SitePictures theme={theme} onChange={onChange} />
        {Theme.safeParse(theme).success && <ThemePreview theme={theme} />}
      </Stack>
    </Fieldset>
  );
}

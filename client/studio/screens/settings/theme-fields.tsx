import {
  Box,
  ColorInput,
  Fieldset,
  MultiSelect,
  Radio,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { startingStyles, Theme } from '../../../../shared/contract/features/theme.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { ImageInput } from '../../records/media/image-input.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import lookClasses from './look-input.module.css';
import classes from './theme-preview.module.css';
import type { SiteForm } from './use-site-form.ts';

const { shape } = Theme;
/** Choices with their labels. The types require a label for each choice of the contract. */
const choices = {
  font: strings.site.fonts satisfies Record<Theme['font'], string>,
  width: strings.site.widths satisfies Record<Theme['width'], string>,
  scheme: strings.site.schemes satisfies Record<Theme['scheme'], string>,
};

/** Inputs for the design of the site, with a preview. */
export function ThemeFields({ form: { values, problems, set } }: { form: SiteForm }) {
  const theme = Theme.strip().safeParse(values).data;
  return (
    <Fieldset id="look" legend={strings.site.theme} radius="lg">
      <Stack gap="md">
        <LookInput
          value={values.look}
          onChange={(look) => {
            set('look', look);
            for (const name of ['accent', 'font', 'width'] as const) set(name, startingStyles[look][name]);
          }}
        />
        <ColorInput
          {...strings.site.accent}
          value={values.accent}
          error={problems.theme}
          withEyeDropper={false}
          onChange={(accent) => set('accent', accent)}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {(['font', 'width', 'scheme'] as const).map((name) => (
            <Select
              key={name}
              label={strings.site[name]}
              data={choicesOf<string>(choices[name])}
              value={values[name]}
              onChange={(value) => set(name, shape[name].parse(value))}
            />
          ))}
        </SimpleGrid>
        <MultiSelect
          {...strings.site.sections}
          data={choicesOf(strings.site.sectionNames)}
          value={values.sections}
          onChange={(names) => set('sections', shape.sections.parse(names))}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['logo', 'icon'] as const).map((name) => (
            <ImageInput
              key={name}
              label={strings.site[name]}
              description={strings.site.pictureHelps[name]}
              error={undefined}
              value={values[name] ?? ''}
              isAddress
              shape="logo"
              onChange={(address) => set(name, address || null)}
            />
          ))}
        </SimpleGrid>
        {theme && <ThemePreview theme={theme} />}
      </Stack>
    </Fieldset>
  );
}

/** Pause after a change before the preview is rendered again, in milliseconds. */
const pauseMs = 250;

/** Home page with an unsaved theme. The frame runs no scripts; links and forms do nothing. */
function ThemePreview({ theme }: { theme: Theme }) {
  const { studio } = useApi();
  const [settled] = useDebouncedValue(theme, pauseMs);
  const preview = useQuery({
    ...queryOf(['theme-preview', settled], studio.site.preview, { theme: settled }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (!preview.data) return <Pending query={preview} skeleton={<Skeleton h={440} radius="lg" />} />;
  const { html, css } = preview.data;
  // The studio's origin is needed to load fonts. It is safe, because the frame runs no scripts.
  return (
    <Box className={classes.window}>
      <iframe
        className={classes.page}
        title={strings.site.preview}
        sandbox="allow-same-origin"
        srcDoc={html.replace('<head>', `<head><base target="_blank"><style nonce="${nonce}">${css}</style>`)}
      />
    </Box>
  );
}

type Look = Theme['look'];

/** Input for the theme's look. Each option shows a drawing of a home page. */
function LookInput({ value, onChange }: { value: Look; onChange(look: Look): void }) {
  return (
    <Radio.Group {...strings.site.look} {...{ value, onChange }}>
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="xs">
        {keysOf(lookImages).map((look) => (
          <Radio.Card
            key={look}
            value={look}
            className={lookClasses.card}
            aria-label={strings.site.looks[look].name}
          >
            <svg viewBox="0 0 160 110" aria-hidden="true" className={lookClasses.picture}>
              {lookImages[look]}
            </svg>
            <Text size="sm" fw={600}>
              {strings.site.looks[look].name}
            </Text>
            <Text size="xs" c="dimmed">
              {strings.site.looks[look].help}
            </Text>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

const { journal, studio, classroom, plain } = startingStyles;

interface LineProps {
  x: number;
  y: number;
  width: number;
  height?: number;
  color?: string;
}

/** A line of text in a miniature. */
const Line = ({ x, y, width, height = 3, color = '#b9b6b0' }: LineProps) => (
  <rect x={x} y={y} width={width} height={height} rx={height / 2} fill={color} />
);

/** Miniature home pages in the looks' starting colors, 160 by 110. */
const lookImages: Record<Theme['look'], ReactNode> = {
  journal: (
    <>
      <rect width="160" height="110" fill="#fcfbf8" />
      <Line x={14} y={10} width={18} color="#1d1b18" />
      <Line x={14} y={26} width={70} height={6} color="#1d1b18" />
      <Line x={14} y={36} width={52} height={6} color="#1d1b18" />
      <Line x={14} y={49} width={62} />
      <rect x="114" y="22" width="32" height="36" rx="2" fill={journal.accent} opacity="0.35" />
      <path d="M14 68h132" stroke="#e4dfd5" />
      <Line x={14} y={76} width={16} />
      <rect x="44" y="76" width="102" height="22" rx="2" fill={journal.accent} opacity="0.6" />
      <Line x={44} y={103} width={60} height={4} color="#1d1b18" />
    </>
  ),
  studio: (
    <>
      <rect width="160" height="110" fill="#fff" />
      <Line x={10} y={8} width={18} color="#111214" />
      <path d="M0 16h160" stroke="#e3e4e8" />
      <Line x={10} y={25} width={104} height={9} color="#111214" />
      <Line x={10} y={38} width={78} height={9} color="#111214" />
      {[10, 58, 106].map((x) => (
        <g key={x}>
          <rect x={x} y="58" width="44" height="46" rx="4" fill="#f6f6f7" stroke="#e3e4e8" />
          <path d={`M${x} 86v-24q0-4 4-4h36q4 0 4 4v24z`} fill={studio.accent} opacity={0.3 + x / 200} />
          <Line x={x + 5} y={92} width={26} color="#111214" />
        </g>
      ))}
    </>
  ),
  classroom: (
    <>
      <rect width="160" height="110" fill="#eef3ee" />
      <rect width="160" height="15" fill={classroom.accent} />
      <Line x={12} y={6} width={22} color="#fff" />
      <rect x="12" y="22" width="136" height="36" rx="8" fill="#fff" />
      <Line x={22} y={31} width={64} height={6} color="#17231d" />
      <Line x={22} y={43} width={48} />
      <circle cx="128" cy="40" r="12" fill={classroom.accent} opacity="0.4" />
      <rect x="12" y="64" width="136" height="60" rx="8" fill="#fff" />
      {[76, 94].map((y) => (
        <g key={y}>
          <circle cx="28" cy={y + 2} r="6" fill={classroom.accent} />
          <Line x={42} y={y - 2} width={60} height={4} color="#17231d" />
          <Line x={42} y={y + 5} width={80} />
        </g>
      ))}
    </>
  ),
  plain: (
    <>
      <rect width="160" height="110" fill="#fff" />
      <Line x={44} y={12} width={20} color="#111" />
      <Line x={44} y={26} width={48} height={5} color="#111" />
      <Line x={44} y={37} width={72} />
      <Line x={44} y={44} width={64} />
      {[58, 70, 82, 94].map((y) => (
        <g key={y}>
          <Line x={44} y={y} width={34 + ((y * 7) % 30)} color={plain.accent} />
          <Line x={44} y={y + 5} width={18} height={2} />
        </g>
      ))}
    </>
  ),
};

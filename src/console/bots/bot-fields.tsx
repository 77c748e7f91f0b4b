import { AiSettings } from "../../automations/ai-settings.ts";
import type { AutomationRequest } from "../../automations/settings.ts";
import { FREQUENCIES, RESPONSE_TIMES, RESPONSE_TYPES, TARGET_TYPES, TRIGGER_TYPES } from "../../automations/table.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select, TextArea } from "../form-fields.tsx";
import {
  ChoiceList,
  Empty,
  FieldErrors,
  Form,
  fieldValue,
  fieldValues,
  Notices,
  SubmitOrCancel,
  TextField,
  Top,
} from "../parts.tsx";
import { type BotChoices, chosenIn, readsComments } from "./bot-choices.ts";
import { AI_FIELDS } from "./bot-form.ts";
import { Targets } from "./bot-targets.tsx";

interface NewBot {
  readonly visit: ProjectVisit;
  readonly choices: BotChoices;
  /** The bot to change; absent for a new one. */
  readonly bot?: { readonly id: number; readonly body: AutomationRequest };
}

/** The builder: for a new bot and for the settings of one. */
export function NewBot({ visit, choices, bot }: NewBot) {
  const { bots: texts } = visit.texts;
  const base = `/console/projects/${visit.project.id}`;
  const path = bot === undefined ? `${base}/bots` : `${base}/bots/${bot.id}`;
  const channels = choices.channels.filter(({ platform }) => readsComments(platform));
  return (
    <>
      <Top
        title={bot === undefined ? texts.createTitle : texts.settings}
        lead={bot === undefined ? texts.createLead : bot.body.name}
      />
      <Notices visit={visit} />
      {channels.length === 0 ? (
        <Empty icon="channel" title={visit.texts.channels.emptyTitle} lead={texts.noChannels}>
          <a class="button first" href={`${base}/channels`}>
            {visit.texts.channels.title}
          </a>
        </Empty>
      ) : (
        <Form visit={visit} action={path}>
          <Where visit={visit} action={path} choices={{ ...choices, channels }} body={bot?.body} />
          <What visit={visit} body={bot?.body} />
          <SubmitOrCancel visit={visit} submit={bot === undefined ? texts.create : texts.save} cancel={path} />
        </Form>
      )}
    </>
  );
}

interface Part {
  readonly visit: ProjectVisit;
  readonly body: AutomationRequest | undefined;
}

interface Where extends Part {
  readonly action: string;
  readonly choices: BotChoices;
}

/** Where the bot answers, and which comments. */
function Where({ visit, action, choices, body }: Where) {
  const { fields: texts } = visit.texts.bots;
  const chosen = fieldValues(visit, "channels") ?? (body?.channels ?? []).map(String);
  const target = fieldValue(visit, "target_type", body?.target_type ?? "all");
  const trigger = fieldValue(visit, "trigger_type", body?.trigger_type ?? "any");
  return (
    <section class="card">
      <TextField
        visit={visit}
        name="name"
        label={texts.name}
        value={body?.name ?? ""}
        input={{ required: true, maxlength: 255, autocomplete: "off" }}
      />
      <fieldset class="field">
        <legend>{texts.channels}</legend>
        <ChoiceList
          name="channels"
          options={choices.channels.map(({ id, name, platform }) => ({
            value: String(id),
            title: name,
            about: platformTitle(platform),
          }))}
          chosen={chosen}
        />
        <FieldErrors visit={visit} name="channels" />
      </fieldset>
      <fieldset class="field">
        <legend>{texts.target}</legend>
        <ChoiceList
          name="target_type"
          options={TARGET_TYPES.map((value) => ({ value, ...texts.targets[value], shows: value }))}
          chosen={target}
        />
      </fieldset>
      <Targets
        visit={visit}
        action={action}
        posts={choices.posts}
        campaigns={choices.campaigns}
        chosen={{
          posts: chosenIn(visit, "post_ids", body?.post_ids),
          campaigns: chosenIn(visit, "campaign_ids", body?.campaign_ids),
        }}
      />
      <fieldset class="field">
        <legend>{texts.trigger}</legend>
        <ChoiceList
          name="trigger_type"
          options={TRIGGER_TYPES.map((value) => ({ value, ...texts.triggers[value], shows: value }))}
          chosen={trigger}
        />
      </fieldset>
      <div class="only keywords">
        <TextArea
          visit={visit}
          name="keywords"
          label={texts.keywords}
          hint={texts.keywordsHint}
          value={(body?.keywords ?? []).join("\n")}
        />
      </div>
    </section>
  );
}

/** What it answers, when and how often. */
function What({ visit, body }: Part) {
  const { fields: texts } = visit.texts.bots;
  const time = fieldValue(visit, "response_time", body?.response_time ?? "instant");
  const model = fieldValue(visit, "ai_enable", body?.ai_enable ?? "no");
  return (
    <section class="card">
      <Select
        visit={visit}
        name="response_type"
        label={texts.response}
        value={body?.response_type ?? "both"}
        options={RESPONSE_TYPES.toReversed().map((value) => ({ value, text: texts.responses[value] }))}
      />
      <TextArea visit={visit} name="comment_reply" label={texts.commentReply} value={body?.comment_reply ?? ""} />
      <TextArea visit={visit} name="direct_message" label={texts.directMessage} value={body?.direct_message ?? ""} />
      <fieldset class="field">
        <legend>{texts.model}</legend>
        <ChoiceList
          name="ai_enable"
          options={(["no", "yes"] as const).map((value) => ({ value, ...texts.models[value], shows: value }))}
          chosen={model}
        />
        <FieldErrors visit={visit} name="ai_settings" />
      </fieldset>
      <div class="only yes choices">
        {AI_FIELDS.map((name) => (
          <Select
            visit={visit}
            name={`ai_settings.${name}`}
            label={texts.ai[name]}
            value={body?.ai_settings?.[name] ?? ""}
            options={[
              { value: "", text: texts.byService },
              ...AiSettings.shape[name].unwrap().options.map((value) => ({ value, text: texts.aiValues[value] })),
            ]}
          />
        ))}
        <Select
          visit={visit}
          name="ai_settings.disclose"
          label={texts.ai.disclose}
          value={body?.ai_settings?.disclose ?? "yes"}
          options={(["yes", "no"] as const).map((value) => ({ value, text: texts.disclosures[value] }))}
        />
      </div>
      <fieldset class="field">
        <legend>{texts.time}</legend>
        <ChoiceList
          name="response_time"
          options={RESPONSE_TIMES.map((value) => ({ value, ...texts.times[value], shows: value }))}
          chosen={time}
        />
      </fieldset>
      <TextField
        visit={visit}
        name="delay_time"
        label={texts.delay}
        type="number"
        value={String(body?.delay_time ?? 300)}
        class="only delayed"
        input={{ min: 0 }}
      />
      <Select
        visit={visit}
        name="frequency"
        label={texts.frequency}
        value={body?.frequency ?? "everytime"}
        options={FREQUENCIES.map((value) => ({ value, text: texts.frequencies[value] }))}
      />
    </section>
  );
}

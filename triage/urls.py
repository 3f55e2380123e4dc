"""The addresses of the pages."""

from django.urls import URLPattern, URLResolver, path

from triage.pages.alternative import alternative
from triage.pages.audit import audit
from triage.pages.codes import code, codes
from triage.pages.compare import compare
from triage.pages.component import component
from triage.pages.components import components
from triage.pages.decide import approve_together, decide_proposal, try_proposal
from triage.pages.doubt import doubt_episode, retire_counterexample
from triage.pages.environment import environment
from triage.pages.environments import environments
from triage.pages.episode import episode
from triage.pages.fault import fault
from triage.pages.faultcare import (
    archive_fault,
    assign_fault,
    cancel_weighing,
    comment_fault,
    reopen_fault,
    weigh_suspects,
    weighing_progress,
)
from triage.pages.faults import faults
from triage.pages.label import label_finding
from triage.pages.overview import overview
from triage.pages.proposal import proposal, proposal_patch
from triage.pages.proposals import proposals, try_together
from triage.pages.propose import check_text, edit_proposal, propose
from triage.pages.repair import repair
from triage.pages.repairwork import (
    cancel_repair,
    propose_for_all,
    propose_repairs,
    repair_progress,
)
from triage.pages.restore import restore_version
from triage.pages.result import result
from triage.pages.round import round_page
from triage.pages.rounds import cancel_round, round_progress, rounds, run, run_listed, running
from triage.pages.sample import draw_sample, label_item, sample
from triage.pages.suspicions import cluster, label_suspicion, suspicions
from triage.pages.trial import cancel_trial, trial, trial_progress

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview, name="overview"),
    path("faults/", faults, name="faults"),
    path("faults/repair/", propose_for_all, name="propose-for-all"),
    path("faults/<int:number>/", fault, name="fault"),
    path("faults/<int:number>/assign/", assign_fault, name="assign-fault"),
    path("faults/<int:number>/comment/", comment_fault, name="comment-fault"),
    path("faults/<int:number>/archive/", archive_fault, name="archive-fault"),
    path("faults/<int:number>/reopen/", reopen_fault, name="reopen-fault"),
    path("faults/<int:number>/weigh/", weigh_suspects, name="weigh-suspects"),
    path("faults/<int:number>/repair/", propose_repairs, name="propose-repairs"),
    path("repairs/<int:number>/", repair, name="repair"),
    path("repairs/<int:number>/cancel/", cancel_repair, name="cancel-repair"),
    path("repairs/<int:number>/progress/", repair_progress, name="repair-progress"),
    path("alternatives/<int:number>/", alternative, name="alternative"),
    path("attributions/<int:number>/cancel/", cancel_weighing, name="cancel-weighing"),
    path("attributions/<int:number>/progress/", weighing_progress, name="weighing-progress"),
    path("results/<str:key>/", result, name="result"),
    path("environments/", environments, name="environments"),
    path("environments/<str:domain>/<path:slug>/", environment, name="environment"),
    path("components/", components, name="components"),
    path("components/<str:domain>/<str:kind>/<str:slug>/", component, name="component"),
    path(
        "components/<str:domain>/<str:kind>/<str:slug>/restore/",
        restore_version,
        name="restore-version",
    ),
    path("episodes/<str:key>/", episode, name="episode"),
    path("episodes/<str:key>/doubt/", doubt_episode, name="doubt-episode"),
    path(
        "counterexamples/<int:number>/retire/", retire_counterexample, name="retire-counterexample"
    ),
    path("rounds/", rounds, name="rounds"),
    path("rounds/run/", run, name="run"),
    path("rounds/run/listed/", run_listed, name="run-listed"),
    path("rounds/running/", running, name="running"),
    path("rounds/<int:number>/", round_page, name="round"),
    path("rounds/<int:number>/compare/<int:other>/", compare, name="compare"),
    path("rounds/<int:number>/cancel/", cancel_round, name="cancel-round"),
    path("rounds/<int:number>/progress/", round_progress, name="round-progress"),
    path("findings/<int:number>/label/", label_finding, name="label"),
    path("codes/", codes, name="codes"),
    path("codes/<path:name>/", code, name="code"),
    path("suspicions/", suspicions, name="suspicions"),
    path("suspicions/<int:number>/label/", label_suspicion, name="label-suspicion"),
    path("suspicions/<slug:fingerprint>/", cluster, name="cluster"),
    path("sample/", sample, name="sample"),
    path("sample/draw/", draw_sample, name="draw-sample"),
    path("sample/items/<int:number>/label/", label_item, name="label-item"),
    path("proposals/", proposals, name="proposals"),
    path("proposals/try/", try_together, name="try-together"),
    path("proposals/new/", propose, name="propose"),
    path("proposals/check/", check_text, name="check-text"),
    path("proposals/<int:number>/", proposal, name="proposal"),
    path("proposals/<int:number>/patch/", proposal_patch, name="proposal-patch"),
    path("proposals/<int:number>/edit/", edit_proposal, name="edit-proposal"),
    path("proposals/<int:number>/decide/", decide_proposal, name="decide-proposal"),
    path("proposals/<int:number>/try/", try_proposal, name="try-proposal"),
    path("trials/<int:number>/", trial, name="trial"),
    path("trials/<int:number>/progress/", trial_progress, name="trial-progress"),
    path("trials/<int:number>/cancel/", cancel_trial, name="cancel-trial"),
    path("trials/<int:number>/approve/", approve_together, name="approve-together"),
    path("audit/", audit, name="audit"),
]

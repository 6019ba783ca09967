"""Legal forms of companies the world over, folded, as they end a company's name. Data only."""

_WORDS = """
    ab ag aktiengesellschaft aps as asa ay bhd berhad bhp bt bv bvba ca co company coop corp
    corporation cpt cv cvba da dac doo dd ead ec ee eood eg eirl epe ev eu eurl gbr gie gk gmbh
    gp hb hf ehf inc incorporated jsc kb kd kf kft kg kgaa kk ky lda limitada limited llc llp lp
    ltd ltda mbh nl nv nyrt oao od ohg ood ooo oue ou oy oyj pao partg pc plc pllc proprietary
    pt pte pty pvt qk qsc rt sa sab sac saci sae sal saog sapa sapi sarl sas sasu sca scs se sia
    sicav sl slu snc soc societa sp spa spol spk spzoo srl sro tbk tov ug uab ulc unlimited vof
    wll yk zao zrt
"""

LEGAL_FORMS = frozenset(_WORDS.split())
